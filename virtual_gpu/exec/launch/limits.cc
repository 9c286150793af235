#include "virtual_gpu/exec/launch/limits.h"

namespace vgpu {
namespace {

constexpr Index3 kMostBlocksIn{0x7fffffffu, 65535, 65535}, kMostThreadsIn{1024, 1024, 64};

std::string is_most(std::uint64_t limit) { return "; " + with_commas(limit) + " is the most"; }

// A negative number arrives as a large one.
std::string amount(std::uint32_t n, const std::string& noun) {
    const bool is_negative = n > 0x7fffffffu;
    return with_commas(n) + " " + noun + (n == 1 ? "" : "s") +
           (is_negative ? ", which is " + std::to_string(static_cast<std::int32_t>(n)) + " as an unsigned number,"
                        : "");
}

std::string wrong_size(const Index3& size, const Index3& most, const std::string& noun, const std::string& whole) {
    const bool is_line = size[1] == 1 && size[2] == 1;
    for (std::size_t d = 0; d < 3; ++d) {
        if (size[d] != 0 && size[d] <= most[d]) continue;
        const std::string in = " in " + whole + (is_line ? "" : std::string("'s ") + "xyz"[d]);
        return amount(size[d], noun) + in + (size[d] != 0 ? is_most(most[d]) : "; 1 is the least");
    }
    return "";
}

}  // namespace

std::string wrong_shape(const Index3& grid, const Index3& block, std::uint64_t most_threads) {
    if (std::string why = wrong_size(grid, kMostBlocksIn, "block", "the grid"); !why.empty()) return why;
    if (std::string why = wrong_size(block, kMostThreadsIn, "thread", "a block"); !why.empty()) return why;
    const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
    if (threads <= most_threads) return "";
    std::string product;
    if (block[1] != 1 || block[2] != 1) {
        product = " (" + std::to_string(block[0]) + " x " + std::to_string(block[1]) +
                  (block[2] != 1 ? " x " + std::to_string(block[2]) : "") + ")";
    }
    return with_commas(threads) + " threads in a block" + product + is_most(most_threads);
}

}  // namespace vgpu
