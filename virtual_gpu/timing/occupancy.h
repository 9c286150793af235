// How many blocks of a kernel one SM holds at once.
#pragma once

#include <cstdint>

#include "virtual_gpu/timing/profile.h"

namespace vgpu {

struct BlockNeeds {
    int threads = 1;
    int registers = 0;         // per thread; 0: unknown, does not limit
    std::uint64_t shared = 0;  // static and dynamic
};

// 0 if not even one block fits.
int blocks_per_sm(const DeviceProperties&, const BlockNeeds&);

}  // namespace vgpu
