// Registers of grids that have ended. A grid of many short launches would ask the operating system for new pages each
// time.
#pragma once

#include <memory>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

// The warp ends for good. Its frames may be taken by any other one; they begin as new ones do.
void keep_frames(Warp&);
// nullptr: there is none.
std::unique_ptr<Frame> take_kept_frame();

}  // namespace vgpu
