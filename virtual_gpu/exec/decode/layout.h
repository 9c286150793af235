// What a kernel needs of a block: shared variables and their places, local memory.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "virtual_gpu/exec/decode/code.h"

namespace vgpu {

// Functions that a kernel may reach, and so the shared variables and the local memory that it needs. Kernels that it
// launches are not among them.
struct Reach {
    std::set<int> functions, shared;
    std::uint32_t local_bytes = 0;
};
Reach reach_of(const Module&, const Function& kernel);

struct SharedLayout {
    std::vector<std::uint32_t> place, size;  // by number of the module's variable; ~0: not in this block
    std::uint32_t static_bytes = 0, bytes = 0;
    std::uint32_t zeros_at = ~0u;  // where the reserved part begins, if the kernel uses it
};
// Static variables in the order of their declaration, then the dynamic one, then what is reserved.
SharedLayout lay_out(const Module&, const Reach&, std::uint32_t dynamic_bytes);

}  // namespace vgpu
