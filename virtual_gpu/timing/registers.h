// How many registers a thread of a kernel needs. PTX does not say: this counts what is alive at once, as a compiler's
// register allocation would. Within a few registers of what ptxas gives for most kernels.
#pragma once

#include <string_view>

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// Of a kernel of the program, by its mangled name; 0: there is none.
int estimate_registers(const ptx::Program&, std::string_view kernel);

}  // namespace vgpu
