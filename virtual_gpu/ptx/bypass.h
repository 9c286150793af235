// Which branches lead past a barrier. By these, divergent barriers are found.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

// One side of the conditional branch `branch`. Lanes that take it skip `barriers`, which lanes on the other side may
// meet, and join them afterwards. A side that only leaves the kernel is an early return and does not count. All numbers
// are instruction numbers.
struct Bypass {
    std::uint32_t branch = 0;
    bool taken = false;  // the side where the branch is taken
    std::vector<std::uint32_t> barriers;
};

// All bypasses of a function; `waits` says which instructions are barriers of the block, or call a function that has
// some.
std::vector<Bypass> bypasses(const Function&, const std::function<bool(const Instruction&)>& waits);

}  // namespace vgpu::ptx
