// What one warp's memory access costs the hardware. The rules were measured on an H200 and stand in
// virtual_gpu/README.md; tests/data/access_patterns_h200.csv holds the measurements they must reproduce.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace vgpu {

// Distinct 32-byte sectors that the active lanes touch: the global loads' and stores' traffic in one request.
// `addresses` of inactive lanes are not looked at; `bytes` (1, 2, 4, 8, 16) is the width of a lane's access, which
// may be misaligned.
int sectors(const std::uint64_t addresses[32], std::uint32_t mask, int bytes);

// The fewest sectors that could hold what `lanes` active lanes ask for.
constexpr int ideal_sectors(int lanes, int bytes) { return (lanes * bytes + 31) / 32; }

struct SharedCost {
    int wavefronts = 0;  // passes that shared memory needs
    int ideal = 0;       // phases with an active lane: what it would need without a bank conflict
    int conflicts = 0;   // wavefronts - ideal
};

// `offsets` are bytes from the start of the block's shared memory. `is_load`: only loads merge two phases whose
// lanes are pairwise equal. An atomic that only counts follows the rule of stores.
SharedCost shared_cost(const std::uint32_t offsets[32], std::uint32_t mask, int bytes, bool is_load);

// Any other atomic: lanes take turns at a bank, even at the same word. `passes`: of a lane at its turn.
SharedCost shared_atomic_cost(const std::uint32_t offsets[32], std::uint32_t mask, int bytes, int passes);

// How many different addresses the active lanes name: the passes of a request to constant memory.
int distinct_addresses(const std::uint64_t addresses[32], std::uint32_t mask);

// The most active lanes that name one address: what an atomic's lanes queue up for.
int most_lanes_on_one_address(const std::uint64_t addresses[32], std::uint32_t mask);

// Adds what a request of atomics costs each 128-byte line of L2, by the line's number. Measured on an H200: a line
// takes its lanes one after the other, and a sector of it at least as long as four.
void add_atomic(const std::uint64_t addresses[32], std::uint32_t mask,
                std::unordered_map<std::uint64_t, std::uint64_t>& lines);

}  // namespace vgpu
