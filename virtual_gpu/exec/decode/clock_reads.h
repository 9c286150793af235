// Whether a function waits for a time, or only measures it.
#pragma once

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// Whether a clock that the function reads decides one of its branches, as in `while (clock64() < end)`. A clock that it
// only subtracts and stores does not. True also if a function that it calls, or its caller, gets the value.
bool waits_for_clock(const ptx::Function&);

}  // namespace vgpu
