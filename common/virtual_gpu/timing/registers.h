// How many registers a thread of a kernel needs. PTX does not say: this counts what is alive at once, as a compiler's
// register allocation would. Within a few registers of what ptxas gives for most kernels.
#pragma once

#include <map>
#include <string>

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// For each kernel of the program, by its mangled name.
std::map<std::string, int> estimate_registers(const ptx::Program&);

}  // namespace vgpu
