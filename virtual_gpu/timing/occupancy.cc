#include "virtual_gpu/timing/occupancy.h"

#include <algorithm>

namespace vgpu {
namespace {

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

int blocks_per_sm(const DeviceProperties& device, const BlockNeeds& block) {
    if (block.threads < 1 || block.threads > device.threads_per_block) {
        return 0;
    }
    const int warps = (block.threads + 31) / 32;
    int blocks = std::min(device.blocks_per_sm, device.threads_per_sm / 32 / warps);
    if (block.registers > 0) {
        // Registers are given to warps in units of 256; each of the four parts of an SM has a quarter of them.
        const int per_warp = static_cast<int>(round_up(static_cast<std::uint64_t>(block.registers) * 32, 256));
        const int resident_warps = device.registers_per_sm / 4 / per_warp * 4;
        blocks = std::min(blocks, resident_warps / warps);
    }
    if (const std::uint64_t shared = round_up(block.shared + device.shared_reserved, 256); shared > 0) {
        blocks = static_cast<int>(
            std::min<std::uint64_t>(static_cast<std::uint64_t>(blocks), device.shared_per_sm / shared));
    }
    return std::max(blocks, 0);
}

}  // namespace vgpu
