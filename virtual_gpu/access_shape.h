// How a warp's access lies in memory. It is found once, for bounds, undefined values, races and counters.
#pragma once

#include <bit>
#include <cstdint>

namespace vgpu {

// row: the active lanes are where they are in an array with one element a lane. same: all of them at one place.
enum class AccessShape : std::uint8_t { row, same, other };

// `addresses` of inactive lanes are not looked at.
template <class Address>
AccessShape shape_of(const Address addresses[32], std::uint32_t mask, int bytes) {
    const int lowest = std::countr_zero(mask);
    const auto width = static_cast<Address>(bytes);
    const Address first = addresses[lowest], start = first - static_cast<Address>(lowest) * width;
    Address out_of_row = 0, apart = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        const Address active = static_cast<Address>(0) - static_cast<Address>(mask >> lane & 1);
        out_of_row |= (addresses[lane] ^ (start + static_cast<Address>(lane) * width)) & active;
        apart |= (addresses[lane] ^ first) & active;
    }
    return out_of_row == 0 ? AccessShape::row : apart == 0 ? AccessShape::same : AccessShape::other;
}

// The active lanes follow each other, as those of a row do whose index is below some bound.
constexpr bool is_gapless(std::uint32_t mask) {
    const std::uint32_t low = mask >> std::countr_zero(mask);
    return (low & (low + 1)) == 0;
}

}  // namespace vgpu
