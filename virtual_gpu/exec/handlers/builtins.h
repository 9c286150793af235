// Device functions that the virtual GPU supplies itself: vprintf, __assertfail, malloc, free, and CUDA's device
// runtime.
#pragma once

#include <string>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

// nullptr: there is no such function. Instr::aux is the number of the CallSite.
Handler builtin_handler(const std::string& name);

// The n-th argument of one lane's call, up to 8 bytes of it from byte `at` on; and its result.
std::uint64_t argument_of(const Warp&, const Instr*, int lane, std::size_t n, std::uint32_t at = 0);
void give_back(const Warp&, const Instr*, int lane, std::uint64_t value);

}  // namespace vgpu
