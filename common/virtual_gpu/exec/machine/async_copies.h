// Copies by cp.async that their threads have not waited for. The interpreter copies at once, but until the wait the
// bytes in shared memory count as in flight: any use of them is reported, and the race check treats the thread's write
// as unfinished.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "virtual_gpu/exec/decode/code.h"

namespace vgpu {

struct Warp;
struct Block;
struct Request;
struct Lanes;

struct AsyncCopy {
    Mask lanes = 0;  // that have not waited for it
    int bytes = 0;   // of a lane
    std::uint32_t pc = 0;
    std::array<std::uint32_t, 32> offset{}, group{};  // in shared memory; of the lane's commits
};

struct AsyncCopies {
    std::vector<AsyncCopy> copies;
    std::array<std::uint32_t, 32> group{};  // that a lane's next copies belong to
    void clear() {
        copies.clear();
        group.fill(0);
    }
};

// The lanes' bytes at these offsets of shared memory have just been written by a cp.async. Only while checking.
void copy_started(Warp&, const Instr*, Mask, std::span<const std::uint32_t, 32> offset, int bytes);
void copies_committed(Warp&, Mask);
// All but the lanes' last `but` groups are over; -1: all copies, committed or not.
void copies_awaited(Warp&, Mask, std::int64_t but);
// A finding for each lane that uses bytes that are on their way.
void find_unawaited(Warp&, const Instr*, Mask, const std::uint32_t (&offset)[32], const Request&);

}  // namespace vgpu
