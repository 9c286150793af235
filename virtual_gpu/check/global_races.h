// Finds races in global memory. A race is two accesses to one place by different threads of a launch, at least one of
// them a write, that nothing orders (launch_order.h says what does). Two accesses of the same size do not race if both
// are strong: volatile, relaxed, acquire, release or atomic.
//
// Each array has a shadow. For every word of 4 bytes it records the last write, the last read, and one earlier read by
// another thread; a read by another warp is preferred while it can still race (as FastTrack's last epochs; Flanagan and
// Freund, PLDI 2009). A record has 64 bits: time, thread, instruction, kind. The records of a whole warp are compared
// at once. The clocks are asked only about records of this launch by other threads. Each plane of the shadow is made
// when it is first used, so an array that is only read, or only written, costs twice its size. A plain access of a
// whole warp to whole lines of 32 cells, side by side, is one record a line, until another access differs.
//
// As in shared memory, threads that write the same value to one place are forgiven. So is a store of data, by several
// lanes, of the bytes that are there already, beside reads by other blocks, if blocks hand on to each other in this
// launch and nothing in it has changed the place: the readers get the same value before it and after it. An in-place
// selection in one pass does that, as thrust::unique() where nothing is dropped.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "virtual_gpu/check/launch_order.h"
#include "virtual_gpu/check/shared_races.h"

namespace vgpu {

namespace global_races {
using Record =
    std::uint64_t;  // time 29 bits, warp 5, lane 5, pc 19, log2 of the size 2 (at most 8 bytes), 4 flags; 0: none
struct Access;

// Records of one kind. Zero pages of the operating system until somebody writes to them.
class Plane {
  public:
    // nullptr: none in this launch. These cells have their own.
    Record* records(std::uint64_t begin = 0, std::uint64_t end = ~std::uint64_t{0});
    Record* use(std::uint64_t cells);

    // A line stands for 32 cells of 4 bytes. kCells: they have their own records; 0: none that counts. Else the record
    // of the first cell, with log2 of the cells a lane in its low bits.
    static constexpr Record kCells = 8, kShift = 3;
    static constexpr int kLineShift = 5;
    Record* cells() { return in_use_ ? storage_.get() : nullptr; }  // of lines that have kCells
    Record& line(std::uint64_t n) { return storage_.get()[room_ + n]; }
    void spread(std::uint64_t line);

    void refine(std::uint64_t cells, int shift);  // 2^shift cells where one was
    void put_away() { in_use_ = false; }
    void forget() { *this = Plane(); }

  private:
    std::unique_ptr<Record, void (*)(void*)> storage_{nullptr, std::free};
    std::uint64_t room_ = 0;
    bool in_use_ = false;
};
}  // namespace global_races

// What a launch has done to some bytes. `polls` and `signals`: by strong accesses for more than a block, which the
// threads of the host may join.
struct KernelUse {
    bool reads = false, writes = false, polls = false, signals = false;
};

// What was done to one array in the launch that touched it last.
struct RaceShadow {
    explicit RaceShadow(std::uint64_t array_bytes) : bytes(array_bytes) {}
    std::uint64_t cells() const { return (bytes + 3) / 4 << (2 - cell_shift); }
    KernelUse use_of(std::uint64_t first, std::uint64_t size);  // of bytes of the array

    std::uint64_t bytes;
    std::uint32_t generation = 0, first_time = 0;
    int cell_shift = 2;  // cells of 4 bytes until somebody touches a narrower place in this launch
    global_races::Plane writes, reads, older_reads;
};

// One warp instruction on one array.
struct GlobalAccess {
    AccessKind kind{};
    int bytes = 0, element_bytes = 0;                            // of a lane; of each part of a vector access
    bool is_strong = false, acquires = false, releases = false;  // atomics are strong
    Scope scope = Scope::device;                                 // of a strong access
    bool is_read_only = false;                 // a read that takes it for granted that no thread of the grid writes
    bool is_contiguous = false;                // all 32 lanes, side by side, in the order of their number
    std::uint32_t pc = 0;                      // larger than GlobalRaces::kMaxPc: cut to its low bits
    std::uint64_t base = 0;                    // the array's address
    const std::uint64_t* addresses = nullptr;  // of 32 lanes, naturally aligned, inside the array
    const std::uint8_t* data = nullptr;        // the array's bytes, as they are before the access
    const void* values = nullptr;              // a write's: 32 x bytes
    std::uint32_t keeps_bytes = 0;             // lanes of such a store that write what is there already
};

struct GlobalConflict {
    AccessKind kind{}, other_kind{};  // of this access, and of the earlier one: read, write or atomic
    bool same_instruction = false;    // two lanes of one store wrote different values to one place
    bool is_of_block = false;         // one of two strong accesses counts only for the threads of its own block
    bool is_strong = false, other_is_strong = false,
         has_observed = false;  // this block has read strongly before: it waits for others?
    bool is_read_only = false;  // the read takes it for granted that no thread of the grid writes
    bool has_met = false;       // the lane that read and this one, which writes, have met in a shuffle or vote since
    std::uint64_t address = 0;  // of this lane
    int bytes = 0;
    std::uint32_t pc = 0, other_pc = 0;
    std::uint32_t thread = 0, other_thread = 0;  // in the block: warp * 32 + lane
    std::uint64_t block = 0, other_block = 0;    // in the grid
    int grid = 0, other_grid = 0;                // as begin_grid() was told
};

// What a dependent launch has accessed before it knew that the kernel before it was complete.
struct EarlyAccess {
    std::uint64_t base = 0, first = 0, bytes = 0;  // of the array; in it
    global_races::Record record = 0;
    bool is_read = false;
};

class GlobalConflictSink {
  public:
    virtual ~GlobalConflictSink() = default;
    // At most once a lane and access, without counting those with has_met: the first conflict found.
    virtual void conflict(const GlobalConflict&) = 0;
};

class GlobalRaces {
  public:
    static constexpr std::uint32_t kMaxPc = (1u << 19) - 1;

    // `sheets`: of 16 times each, before the check has to forget all that it knows. A launch that needs more is not
    // checked to its end.
    explicit GlobalRaces(LaunchOrder::Time sheets) : order_(sheets) {}
    GlobalRaces() : GlobalRaces(LaunchOrder::kSheets) {}

    // A launch of one grid begins; the sink has to stay until the next one.
    void begin(std::uint32_t warps_per_block, GlobalConflictSink&);
    // A launch begins, then its grids, in order; see LaunchOrder.
    void begin(bool is_dependent = false) {
        order_.begin(is_dependent);
        early_.clear();
    }
    void begin_grid(int id, std::uint32_t warps_per_block, std::uint64_t blocks, VectorClock known,
                    GlobalConflictSink&);
    LaunchOrder& order() { return order_; }
    const LaunchOrder& order() const { return order_; }
    const std::vector<EarlyAccess>& early() const { return early_; }  // of a dependent launch

    // `mask` is not empty.
    void access(BlockOrder&, int warp, std::uint32_t mask, RaceShadow&, const GlobalAccess&);

  private:
    using Record = global_races::Record;
    using Access = global_races::Access;

    void enter(RaceShadow&, int bytes);
    void note_early(const Access&);
    static bool is_whole(const Access&);
    static void spread(const Access&);
    bool check_whole(Access&) const;
    bool is_of_own_warp(const Access&, Record) const;
    static bool record_whole(const Access&);
    bool check_contiguous(Access&) const;
    void check_lanes(Access&);
    void check_lane(Access&, int lane);
    void check_read_only(const Access&);
    bool races(Access&, Record, int lane) const;
    bool keeps(const Access&, Record, int lane, bool is_read) const;
    bool writes_same_value(const Access&, int lane, std::uint64_t cell, int part) const;
    void observe(const Access&);
    bool record_contiguous(const Access&);
    void record_reads(const Access&);
    void record_writes(const Access&);
    void check_lanes_of_store(const Access&);
    void hand_on(const Access&);
    bool report(const Access&, int lane, Record other, AccessKind other_kind, bool same_instruction,
                bool is_read_only = false);  // returns GlobalConflict::has_met

    LaunchOrder order_;
    std::vector<EarlyAccess> early_;
    GlobalConflictSink* sink_ = nullptr;
};

}  // namespace vgpu
