// The order of a function's basic blocks for which lanes that have parted meet again where a GPU makes them meet.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

struct Span {
    std::uint32_t begin = 0, end = 0;  // instructions
    friend bool operator==(const Span&, const Span&) = default;
};

// All instructions, as spans of the text. The interpreter runs the lanes that are furthest behind first, so each block
// comes after all blocks that lead to it, and code after a loop comes after the loop. If the text has this order, as
// it mostly does, the result is one span.
std::vector<Span> block_order(const Function&);

}  // namespace vgpu::ptx
