// Which branches lead past a barrier: what a divergent barrier is found by.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

// Lanes that leave conditional branch `branch` on this side go past `barriers`, which those on the other side may meet,
// and go on with code that those run afterwards. All are instruction numbers.
// A side on which a lane only leaves the kernel is none: that is an early return.
struct Bypass {
    std::uint32_t branch = 0;
    bool taken = false;  // the side where the branch is taken
    std::vector<std::uint32_t> barriers;
};

// All of a function; `waits` says which instructions are barriers of the block, or call a function that has some.
std::vector<Bypass> bypasses(const Function&, const std::function<bool(const Instruction&)>& waits);

}  // namespace vgpu::ptx
