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

// All instructions, as spans of the text. The lanes of a warp that are furthest behind run first, so a block stands
// behind all that lead to it, and what all ways out of a loop lead to stands behind the loop. Mostly the text is in
// such an order already: then it is one span.
std::vector<Span> block_order(const Function&);

}  // namespace vgpu::ptx
