// What ends a function's loops: a time, or a count.
#pragma once

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// Whether a clock that the function reads decides one of its branches, as in `while (clock64() < end)`. A clock that it
// only subtracts and stores does not. True also if a function that it calls, or its caller, gets the value.
bool waits_for_clock(const ptx::Function&);

// Whether a register to which the function adds again and again decides one of its branches.
bool counts_to_a_limit(const ptx::Function&);

}  // namespace vgpu
