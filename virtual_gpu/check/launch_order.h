// What happens before what in one launch by the host, between all threads of all blocks of its grids: the clocks
// behind GlobalRaces. There is one grid, unless kernels launch kernels.
//
// Every warp has a time, which advances whenever others could learn what the warp has done so far. An access carries
// the time of its warp. For each other warp, `known` says up to which time a warp knows of its accesses. `known` grows
//   - at barriers of the block, which join what the warps taking part know;
//   - where a strong read (acquire, relaxed, volatile, atomic) sees a strong write that released something. A release
//     hands on all that its warp knows. A relaxed or volatile write, or an atomic, hands on what the warp knew at its
//     last fence. The reader learns it at once if it acquires, or if it is an atomic that returns the old value (like
//     the ticket of "the last block adds up", which CUDA's own examples write without a fence there). Otherwise it
//     learns it at its next fence.
// Barriers hand fences on, too: "all write, all fence, barrier, one thread sets the flag" is in order, and so is the
// mirror image at the reader's side. The fence of block scope orders threads of one block only.
//
// A read is over at the next barrier of its block, as its value is there. So a flag that one thread sets after that
// barrier tells others, even without a fence, that they may overwrite what the block has read: CUB's in-place selection
// relies on it. `reads` says up to which time a warp knows of other warps' reads in this way.
//
// The lanes of a warp acquire and release together. Among themselves, warp_sync() orders them, and what one lane has
// released and another one acquires, as where each thread takes a lock: directly, or by way of other warps.
//
// A grid that a kernel launches knows from its start what the launching warp knew and had done at the launch, and all
// that was done by the grids that had to be complete before.
//
// A launch that depends on the kernel before it by programmatic dependent launch may run beside that kernel until it
// waits (griddepcontrol.wait). That the kernel before is complete is one more thing to know, as if it were a warp: a
// wait learns it, and barriers and releases hand it on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/check/shared_races.h"
#include "virtual_gpu/check/vector_clock.h"

namespace vgpu {

enum class Scope : std::uint8_t { block, device };

// What a strong write hands on, to threads of its block and to others. If it is more than which reads are over, the
// warp's time goes on.
struct Release {
    std::array<VectorClock, 2> by;  // scope
    VectorClock reads;
    std::uint64_t place = 0;  // of the block
    // To warps of its block, for accesses to shared memory. As there, no matter whether the reader has a fence.
    SharedRaces::Clocks shared{};
};

// One block's clocks. Made once and started anew for each block that runs in the same place.
struct BlockOrder {
    using Time = VectorClock::Time;
    struct Fence {
        bool is_done = false;
        bool is_stale = false;        // plain writes followed
        VectorClock before, pending;  // what it made ready to be handed on; what strong reads saw since
    };
    struct Warp {
        Time now = 0;
        Time lanes = 0;  // all lanes know each other's accesses before
        Time met = 0;    // after the last shuffle or vote, which orders no memory, of these lanes
        std::uint32_t met_lanes = 0;
        bool is_used = false;   // has accessed memory at `now`
        bool has_news = false;  // has done anything since its last barrier
        VectorClock known, reads;
        std::array<Fence, 2> fences;                                       // by scope
        std::unique_ptr<std::array<std::array<Time, 32>, 32>> lane_known;  // [lane][of lane], if some lanes synced
    };
    std::uint64_t number = 0;    // in its grid
    std::uint64_t place = 0;     // of its first warp, in the clocks
    bool has_observed = false;   // by a strong read or atomic: it seems to wait for others
    bool has_triggered = false;  // dependent launches may begin, as far as this block is concerned
    Time next = 0, sheet_end = 0;
    std::vector<Warp> warps;
    std::array<std::vector<Warp>, 16> arrivals;  // at barriers, as they were, of those who did not wait
    struct SharedRelease {
        Release release;
        std::uint32_t thread = 0;
    };
    std::unordered_map<std::uint32_t, SharedRelease> shared_releases;  // by offset in shared memory
    SharedRaces* shared = nullptr;                                     // may be missing
};

class LaunchOrder {
  public:
    using Time = VectorClock::Time;
    static constexpr int kTimeBits = 29;
    static constexpr int kSheetBits = 4;  // blocks take their times in sheets of 16, so that a time tells its block

    static constexpr Time kSheets = Time{1} << (kTimeBits - kSheetBits);

    explicit LaunchOrder(Time sheets) : sheets_(sheets) {}

    // A launch by the host begins; everything before is in order with it, except for what a dependent launch has to
    // wait for.
    void begin(bool is_dependent = false);
    // A grid of it begins: `id` is the caller's name for it, `known` what is before it. Up to 32 warps a block.
    void begin_grid(int id, std::uint32_t warps_per_block, std::uint64_t blocks, VectorClock known);
    void start(BlockOrder&, std::uint64_t number);  // a block of the grid that began last
    // What a grid that the warp launches now knows.
    VectorClock launch(BlockOrder&, int warp);
    // The grid that began last has ended: for those who wait for it.
    VectorClock end_grid() const;

    void barrier(BlockOrder&, std::span<const int> warps, int number = 0);  // of these warps
    void arrive(BlockOrder&, int warp, int number);                         // at a barrier, at which others wait
    void warp_sync(BlockOrder&, int warp, std::uint32_t lanes);
    void lanes_met(BlockOrder&, int warp, std::uint32_t lanes);  // in an operation that orders no memory
    void fence(BlockOrder&, int warp, Scope);

    // ---- Programmatic dependent launch ----
    bool is_dependent() const { return is_dependent_; }
    void await_primary(BlockOrder&, int warp);
    bool knows_primary(const BlockOrder& block, int warp) const {
        return block.warps[static_cast<std::size_t>(warp)].known[kPrimary] != 0;
    }
    bool has_awaited_primary() const { return has_awaited_primary_; }  // some thread of this launch
    void trigger(BlockOrder&, int warp);
    void end(BlockOrder&);  // triggers, if the block has not
    // Of this launch, to which the next one is a dependent launch: it begins when all blocks have triggered. By then,
    // was this launch's own primary known to be complete? And was the access made visible by a fence?
    bool triggers_late() const { return triggers_late_; }
    bool shows() const { return !shown_.is_empty(); }
    bool is_shown(Time time, std::uint32_t thread) const { return time < shown_[place_of(time) + (thread >> 5)]; }

    // ---- For GlobalRaces ----
    // Is the access of `thread` (in its block) at `time` of this launch before what this lane does now?
    bool is_before(const BlockOrder&, int warp, int lane, Time time, std::uint32_t thread) const;
    std::uint64_t place_of(Time time) const { return owners_[(time - first_) >> kSheetBits]; }  // a block's
    struct BlockName {
        int grid = 0;
        std::uint64_t number = 0;
    };
    BlockName block_at(std::uint64_t place) const;
    // Have the lane and `thread`, of its warp, met since `time`?
    bool has_met(const BlockOrder&, int warp, int lane, Time time, std::uint32_t thread) const;
    // Is the read of `thread` at `time` over, as a flag has told this warp?
    bool is_read_over(const BlockOrder&, int warp, Time time, std::uint32_t thread) const;
    // Does a strong write of the warp hand on what was done before it?
    static bool hands_on(const BlockOrder::Warp& warp, bool releases) { return releases || warp.fences[0].is_done; }
    Release release_of(BlockOrder&, int warp, bool releases, Scope);
    // It is written to `address`, or added to what is there (by an atomic, which goes on with what it found).
    void release(std::uint64_t address, const Release&, bool adds);
    void acquire(BlockOrder&, int warp, std::uint64_t address, bool at_once, Scope);
    // A strong access to shared memory, where flags and barriers order accesses to global memory, too.
    void shared_access(BlockOrder& block, int warp, std::uint32_t mask, const std::uint32_t offsets[32],
                       AccessKind kind, bool acquires, bool releases) {
        const bool is_read = kind == AccessKind::read;
        if (!block.shared_releases.empty() ||
            (!is_read && (hands_on(block.warps[static_cast<std::size_t>(warp)], releases) ||
                          (kind == AccessKind::write && (mask & (mask - 1)) == 0))))
            pass_on_in_shared(block, warp, mask, offsets, kind, acquires, releases);
    }
    bool has_releases() const { return !releases_.empty(); }

    Time first() const { return first_; }                     // of this launch
    std::uint32_t generation() const { return generation_; }  // times begin again with each
    bool is_exhausted() const { return is_exhausted_; }       // no times are left in this launch

  private:
    static constexpr std::uint64_t kPrimary = 0;  // its place in the clocks of a dependent launch
    Time next_time(BlockOrder&);
    void go_on(BlockOrder&, BlockOrder::Warp&);
    void learn(BlockOrder&, int warp, const VectorClock& released);
    void acquire(BlockOrder&, int warp, const Release&, bool at_once, Scope);
    static void hand_on(Release& there, const Release&, bool adds);
    void pass_on_in_shared(BlockOrder&, int warp, std::uint32_t mask, const std::uint32_t offsets[32], AccessKind,
                           bool acquires, bool releases);
    static std::uint64_t place(const BlockOrder& block, int warp) {
        return block.place + static_cast<std::uint64_t>(warp);
    }
    struct GridPlaces {
        int id = 0;
        std::uint64_t first = 0, stride = 1, count = 0;  // stride: warps of a block, rounded up to a power of two
    };
    Time sheets_, sheet_ = 1, first_ = 1 << kSheetBits;
    std::uint32_t generation_ = 0, warps_ = 1;
    bool is_exhausted_ = false;
    bool is_dependent_ = false, has_awaited_primary_ = false, triggers_late_ = false;
    VectorClock shown_;                                    // by fences before the blocks triggered
    std::vector<GridPlaces> grids_;                        // of this launch, in the order of their places
    VectorClock known_;                                    // of the grid that began last, at its start
    std::vector<std::uint64_t> owners_;                    // of each sheet of this launch: its block's place
    std::unordered_map<std::uint64_t, Release> releases_;  // by address
};

}  // namespace vgpu
