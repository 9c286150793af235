// Copies by cp.async and cp.async.bulk that nobody has waited for. The interpreter copies at once, but until the wait
// the bytes in shared memory count as in flight: any use of them is reported, and the race check treats the thread's
// write as unfinished. A copy that reports to an mbarrier is in flight until its phase is complete and some thread has
// seen that; from then on, what the thread releases tells others.
#pragma once

#include <algorithm>
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
    bool is_bulk = false;
    std::uint32_t barrier = kNoBarrier;  // offset in shared memory of the mbarrier that it reports to
    bool is_complete = false;            // the phase of that mbarrier
    static constexpr std::uint32_t kNoBarrier = ~0u;
};

struct AsyncCopies {
    std::vector<AsyncCopy> copies;          // only while checking
    std::array<std::uint32_t, 32> group{};  // that a lane's next copies belong to
    void clear() {
        copies.clear();
        group.fill(0);
    }
};

// When a warp's copies have arrived, in the latency chain; only while counting. What one lane waits for, all do.
class Arrivals {
  public:
    void clear() { *this = Arrivals{}; }
    void started(std::uint64_t arrival) { open_ = std::max(open_, arrival); }
    void committed();
    std::uint64_t of_all() const;                           // committed or not
    std::uint64_t of_groups_but(std::uint64_t last) const;  // of all groups but the last ones

  private:
    std::uint64_t open_ = 0;               // of the group that is not committed
    std::uint64_t early_ = 0;              // of groups that are no longer told apart
    std::vector<std::uint64_t> groups_{};  // the last ones
};

// The lanes' bytes at these offsets of shared memory have just been written by a cp.async. Only while checking.
void copy_started(Warp&, const Instr*, Mask, std::span<const std::uint32_t, 32> offset, int bytes,
                  bool is_bulk = false);
void copies_committed(Warp&, Mask);
// All but the lanes' last `but` groups are over; -1: all copies, committed or not.
void copies_awaited(Warp&, Mask, std::int64_t but);
// The lane's copies report to this mbarrier; a phase of the mbarrier is complete; a thread has seen that.
void copies_report_to(Warp&, int lane, std::uint32_t barrier, bool bulk);
void copies_completed(Block&, std::uint32_t barrier);
void copies_seen(Block&, std::uint32_t barrier);
// A finding for each lane that uses bytes that are on their way.
void find_unawaited(Warp&, const Instr*, Mask, const std::uint32_t (&offset)[32], const Request&);

}  // namespace vgpu
