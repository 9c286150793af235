// Finds races in one block's shared memory: two accesses of one place by different threads, at least one of them a
// write, that no barrier orders.
//
// A warp has one clock. Every record (last write, two last reads of each word) carries the clock and the thread
// that made it. `known(w, v)` says up to which clock warp w has seen the end of what warp v did; barriers join these
// rows. Within a warp, lanes are ordered by warp_sync() alone (running in step is luck, not order). A shuffle or vote
// orders no memory, but whoever has read before it has read: has_met tells such a write after a read.
//
// Strong accesses (volatile, relaxed, acquire, release, atomic) never race with each other. If a strong read sees a
// strong write, everything before the write is ordered before everything after the read. That is more lenient than the
// memory model, which also requires fences. An atomic hands on what it found, too, so that a strong read sees all
// writes of the release sequence that ends with the atomic that it sees.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "virtual_gpu/access_shape.h"

namespace vgpu {

// A reduction is an atomic whose old value nobody takes (PTX red): it publishes, but observes nothing.
enum class AccessKind : std::uint8_t { read, write, atomic, reduction };

struct SharedConflict {
    AccessKind kind{};              // of this access
    AccessKind other_kind{};        // of the earlier one: read, write or atomic
    bool same_instruction = false;  // two lanes of one store wrote different values to one place
    bool is_strong = false, other_is_strong = false;
    bool has_met = false;        // the lane that read and this one, which writes, have met in a shuffle or vote since
    bool is_on_its_way = false;  // the earlier one is an asynchronous copy that its thread has not waited for,
    bool reports_to_barrier = false;  // or no thread: it reports to an mbarrier
    std::uint32_t offset = 0;         // first byte of this lane's access, from the start of shared memory
    int bytes = 0;
    std::uint32_t pc = 0, other_pc = 0;
    std::uint32_t thread = 0, other_thread = 0;  // warp * 32 + lane
};

class SharedConflictSink {
  public:
    virtual ~SharedConflictSink() = default;
    // At most once a lane and access, without counting those with has_met: the first conflict found.
    virtual void conflict(const SharedConflict&) = 0;
};

class SharedRaces {
  public:
    static constexpr std::uint32_t kMaxPc = (1u << 20) - 1;  // larger ones are cut to their low 20 bits

    // `shared_bytes` counts static and dynamic shared memory; `warps` is 1..32.
    SharedRaces(std::uint32_t shared_bytes, int warps, SharedConflictSink& sink);

    // One warp instruction. `offsets` are byte offsets, naturally aligned, only those of lanes in `mask` count;
    // lanes outside shared memory are skipped. `values`, for writes: 32 x `bytes` bytes in lane order, so that threads
    // which write the same value to one place are forgiven (null: never forgiven). `strong` is implied by atomics.
    void access(int warp, std::uint32_t mask, const std::uint32_t offsets[32], int bytes, AccessKind kind, bool strong,
                std::uint32_t pc, const void* values = nullptr);
    // The same of lanes that are all inside, with a shape that is known.
    void access(int warp, std::uint32_t mask, const std::uint32_t offsets[32], int bytes, AccessKind kind, bool strong,
                std::uint32_t pc, const void* values, AccessShape shape);

    // A block barrier has completed: what the warps taking part did before is ordered before what they do next.
    // Warps that have exited count as taking part.
    // `number`: of the barrier, where other warps have only arrived.
    void barrier(std::span<const int> warps, int number = 0);
    void barrier_all();

    // bar.arrive: what the warp did before is ordered before what those do who wait at the barrier; no more.
    void arrive(int warp, int number);

    // bar.warp.sync: as barrier(), among lanes of one warp.
    void warp_sync(int warp, std::uint32_t mask);

    // The lanes of a warp in `mask` have met in an operation that orders no memory.
    void lanes_met(int warp, std::uint32_t mask);

    // What a warp hands on by a flag elsewhere: which clock of each warp is over. Another warp learns it.
    using Clocks = std::array<std::uint32_t, 32>;
    Clocks release(int warp);
    void learn(int warp, const Clocks& released);

    // A new block starts in the same memory; cheap.
    void reset();

  private:
    // clock 28 bits, warp 5, lane 5, pc 20, unused 2, sequence 1, has a value 1, strong 1, atomic 1; 0: none
    using Record = std::uint64_t;
    using Clock = std::uint32_t;
    struct Access;
    struct Places;

    Clock known(int warp, int other) const;
    Clock known_lane(int warp, int lane, int other) const;
    bool ordered(const Access&, Record, int lane) const;
    bool races(const Access&, Record, int lane) const;
    bool has_met(const Access&, Record read, int lane) const;
    void acquire(const Access&, Record);
    Clock* sequence(std::ptrdiff_t cell) { return &sequences_[static_cast<std::size_t>(cell * warps_)]; }
    std::uint32_t extend_sequences(const Access&);
    void acquire_sequences(const Access&);
    void advance(int warp);
    void update_floor(int warp);
    void renumber();
    void refine(int bytes);

    template <int N, bool kAll = false>
    bool contiguous_read(const Access&, std::ptrdiff_t first);
    template <int N, bool kAll = false>
    bool contiguous_write(const Access&, std::ptrdiff_t first);
    bool contiguous(const Access&);
    bool one_lane(const Access&);
    bool broadcast_read(const Access&);
    bool scattered_read(const Access&);
    bool scattered_write(const Access&);
    template <int N>
    bool calm_read(const Access&);
    template <int N>
    bool calm_write(const Access&);
    bool calm(const Access&);
    void any_read(const Access&);
    void any_write(const Access&);
    void record_read(Record, std::ptrdiff_t cell, int warp);
    void check_lanes_of_store(const Access&);
    std::uint32_t value_of(const Access&, int lane, int part) const;  // in shared_access.h
    void report(const Access&, int lane, Record other, AccessKind other_kind, bool same_instruction);

    SharedConflictSink& sink_;
    std::uint32_t shared_bytes_;
    int warps_;
    int cell_shift_ = 2;  // cells of 4 bytes until somebody touches a narrower place
    // A margin of one warp access at both ends lets the fast paths read past inactive lanes.
    std::vector<Record> writes_, reads_, older_reads_;
    std::vector<std::uint32_t> values_;  // what the last write wrote
    // Reductions observe nothing, so that the last one's record does not stand for those before it. For a cell whose
    // record has kSequence: up to which clock each warp has taken part. Empty until a kernel needs it.
    std::vector<Clock> sequences_;
    std::array<std::unique_ptr<std::array<Clock, 32>>, 16> arrivals_;  // at barriers, by those who did not wait
    Clock all_ = 1;                                // every warp knows every warp at least up to here
    std::array<Clock, 32> clock_, lanes_, floor_;  // lanes_: all lanes of a warp know each other up to here;
    std::array<std::array<Clock, 32>, 32> known_;  // floor_: what is older is ordered, whoever did it
    std::array<std::unique_ptr<std::array<std::array<Clock, 32>, 32>>, 32> lane_known_;  // only if some lanes synced
    struct Meeting {
        Clock at = 0;
        std::uint32_t lanes = 0;
    };
    std::array<Meeting, 32> met_;  // of each warp, the last one
};

}  // namespace vgpu
