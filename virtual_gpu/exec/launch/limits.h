// Which limit of a launch's shape is broken, in words.
#pragma once

#include <cstdint>
#include <string>

#include "virtual_gpu/report.h"

namespace vgpu {

// "2,048 threads in a block; 1,024 is the most"; "": none is.
std::string wrong_shape(const Index3& grid, const Index3& block, std::uint64_t most_threads);

}  // namespace vgpu
