// The state of a running grid: blocks, warps, fragments, frames. What they have in common is in run.h.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/check/shared_races.h"
#include "virtual_gpu/exec/decode/code.h"
#include "virtual_gpu/exec/machine/async_copies.h"
#include "virtual_gpu/exec/machine/run.h"

namespace vgpu {

struct Block;
class Shadow;

// Registers of one call of a function, for the lanes that made it together.
struct Frame {
    const Function* function = nullptr;
    Frame* parent = nullptr;
    int depth = 0;
    Mask lanes = 0;  // that have not returned yet
    const Instr* return_to = nullptr;
    const CallSite* site = nullptr;
    std::uint8_t* registers = nullptr;  // 64-byte aligned
    std::uint8_t* params = nullptr;     // 32 x function->param_bytes, lane by lane
    std::uint64_t* ready = nullptr;     // cycle at which each slot may be used
    std::uint64_t local_base = 0;       // in the lane's local memory
    std::uint64_t params_below = 0;     // bytes of a lane's parameters in the frames below
    std::unique_ptr<std::uint8_t[]> storage;
    std::size_t storage_bytes = 0;
    std::unique_ptr<Shadow> shadow;  // once something in it was undefined

    Frame();
    ~Frame();
    void prepare(const Function&);
};

// at_sync: at a shuffle, vote, match or other operation of several lanes, which runs again once the others are there.
// at_warp_barrier: in bar.warp.sync, with ip behind it. held: by a what-if rule, until nothing else in the block goes
// on, or until it is its turn.
enum class State : std::uint8_t { ready, at_barrier, at_sync, at_warp_barrier, held };

// Lanes of a warp that stand at the same place of the same call.
struct Fragment {
    Frame* frame = nullptr;
    const Instr* ip = nullptr;
    Mask mask = 0;
    State state = State::ready;
    std::uint8_t barrier = 0;  // held: the rule's number
    Mask wants = 0;            // at_sync, at_warp_barrier: lanes that it waits for
    // The lowest runs first. A fragment whose loop has taken long goes to the end, behind the highest.
    std::uint32_t queue_place = 0;
    std::uint64_t now = 0;  // clock of the latency chain
    int loops = 0;          // backward branches while others waited
    bool spins = false;     // those loops had strong reads, or no way out
    bool strong = false;    // strong reads
    bool waited = false;    // spun when it went to the end of the queue
    bool passed = false;    // a barrier of the block: it goes on with those who spin
    bool timed = false;     // those loops read a clock on which they depend
    std::uint64_t ran = 0;  // instructions
};

// Bits of a lane's register that depend on which way it takes: see either_way.cc.
struct EitherWay {
    const Frame* frame;
    Column column;
    int bytes;
    int lane;
    std::uint64_t bits;
    OriginId origin;
};

enum class Stop : std::uint8_t { boundary, diverged, loop, poll, barrier, sync, warp_barrier, exit, failed };

// What the running fragment has done since it was chosen, by which the schedule sees whether it waits for others.
struct SinceChosen {
    bool alone = true;           // no other fragment
    bool strong = false;         // has made a strong read or an atomic
    bool seems_to_wait = false;  // has slept, or gone round in a loop of one instruction
    bool timed = false;          // has read a clock on which a branch depends
    bool polls = false;          // has read what another warp may change: a loop should let that warp run
    std::uint8_t polled = 0;     // such rounds of a loop
};

// For the modelled time.
struct Spent : Work {
    std::uint64_t finished_at = 0;
};

struct LocalMemory {
    std::vector<std::uint8_t> bytes, written;   // lane by lane; the latter only while checking
    std::unique_ptr<UndefinedBytes> undefined;  // once there is one
    std::uint64_t capacity = 0;                 // bytes a lane
};

// cp.async and its kin.
struct Copies {
    AsyncCopies async;
    Arrivals arrivals;
    std::uint64_t bulk_arrival = 0;  // of the last bulk copy
};

// Besides the frames' shadows.
struct UndefinedInWarp {
    Mask guessed = 0;                    // lanes whose address in this access is not defined, which has a finding
    std::vector<EitherWay> either_ways;  // not yet ended
};

struct Warp {
    // Hot: what every handler uses.
    std::uint8_t* base[2] = {nullptr, nullptr};  // registers of the frame, constants of the module
    Mask mask = 0;                               // lanes of the running fragment
    std::uint64_t now = 0;                       // when the current instruction starts
    std::uint64_t slot = 0;                      // when it would start if its operands were ready
    std::uint64_t latest = 0;                    // latest start since the last instruction with Timing::stays
    std::uint64_t* ready = nullptr;
    // Another fragment of the frame waits here, so that this one stops. nullptr: it stops after this instruction.
    const Instr* limit = nullptr;
    const Instr* resume = nullptr;
    Stop stop = Stop::boundary;
    SinceChosen since_chosen;
    Run* run = nullptr;
    Block* block = nullptr;
    Frame* frame = nullptr;
    const Function* function = nullptr;
    Shadow* shadow = nullptr;  // of the frame, while it holds undefined values

    int number = 0;   // in the block
    Mask exists = 0;  // lanes that the block has
    Mask alive = 0;   // that have not exited
    std::size_t current = 0;
    std::vector<Fragment> fragments;
    std::vector<std::unique_ptr<Frame>> frames, spare_frames;
    Spent spent;
    LocalMemory local;
    Copies copies;
    UndefinedInWarp undefined;
    const std::uint32_t* tid[3] = {nullptr, nullptr, nullptr};

    // Where the lane's local memory is among generic addresses.
    DevicePtr local_window(int lane) const;

    template <class T>
    T* col(Column c) const {
        return reinterpret_cast<T*>(base[c >> 31] + (c & ~kConstantBit));
    }
    void spend(std::uint64_t cycles) { now = slot = latest = now + cycles; }
    void wait_until(std::uint64_t time) { now = slot = latest = std::max(now, time); }
    Mask predicate(Column c) const { return *col<Mask>(c); }

    Frame* new_frame(const Function&);
    void drop_frame(Frame*);
    void grow_local(std::uint64_t bytes);
    void forget_local(Mask, std::uint64_t base, std::uint64_t bytes);  // counts as never written
    void begin_shadow();                                               // something in the frame is undefined
};

struct Barrier {
    std::uint32_t arrived = 0;   // threads, also those that only arrived (bar.arrive)
    std::uint32_t expected = 0;  // 0: all of the block that have not exited
    std::array<Mask, kLanes> lanes{};
    const Instr* first = nullptr;
    const Function* first_function = nullptr;
    int first_thread = 0;
    std::uint32_t true_count = 0;  // bar.red
    std::uint64_t latest = 0;      // clock of the last to arrive
    std::uint32_t waiting = 0;     // warps with threads that wait
    bool named = false;            // has a thread count: warps may wait at different lines; exited threads are missing
};

// Lanes of a warp that went past barriers, since the block's last one.
struct Passed {
    const Function* function = nullptr;
    std::uint32_t bypass = 0;  // in function->bypasses
    int warp = 0;
    Mask lanes = 0;
};

constexpr std::size_t kL1Sectors = 1024;  // a block's share of an SM's L1: 32 KiB

struct Block {
    std::uint64_t linear = 0;
    Index3 index{};
    std::vector<Warp> warps;
    std::array<Barrier, 16> barriers;
    std::vector<Passed> passed;
    std::uint32_t threads = 0, live = 0;
    std::vector<std::uint8_t> shared, shared_written;
    std::unique_ptr<UndefinedBytes> shared_undefined;  // once there is one
    std::unique_ptr<SharedRaces> races;                // and `order`: only while checking
    std::unique_ptr<BlockOrder> order;
    BlockCost cost;
    std::vector<std::uint32_t> l1;  // the sectors in it, each in the only place that it can have
    std::unordered_map<std::uint32_t, std::uint64_t> arrived;  // by mbarrier: when all has come that it waited for
    std::uint32_t next_warp = 0;
    std::uint64_t skipped = 0;  // Progress::skipped at its start
    bool done = false;
    // The first thread that left early, for the note at a barrier.
    const Instr* exit_at = nullptr;
    const Function* exit_function = nullptr;
    int exit_thread = -1;
};

inline int first_lane(Mask m) { return std::countr_zero(m); }
inline int last_lane(Mask m) { return kLanes - 1 - std::countl_zero(m); }

// Lanes of a mask, lowest first: for (int l : lanes(mask)).
struct LaneRange {
    Mask mask;
    struct Iterator {
        Mask left;
        int operator*() const { return std::countr_zero(left); }
        Iterator& operator++() {
            left &= left - 1;
            return *this;
        }
        bool operator!=(const Iterator& o) const { return left != o.left; }
    };
    Iterator begin() const { return {mask}; }
    Iterator end() const { return {0}; }
};
inline LaneRange lanes(Mask m) { return {m}; }

// warp.cc
void start_warp(Warp&, const Function& kernel);
// Runs up to `budget` instructions; false if nothing could run.
bool run_warp(Warp&, std::int64_t budget);
void exit_lanes(Warp&, const Instr*, Mask);
const Instr* leave_kernel(const Instr*, Warp&, Mask);  // a handler: the lanes are done
// Puts the lanes in `mask` at `ip` into a fragment of their own, which runs later; the rest goes on after `i`.
const Instr* split(Warp&, const Instr* i, Mask mask, const Instr* ip);
// barrier.cc
const Instr* arrive(Warp&, const Instr*, Mask, int barrier, std::uint32_t expected, bool wait);
void check_barriers(Block&);                            // after threads have exited
void pass_barriers(Warp&, Mask, std::uint32_t bypass);  // lanes take a branch that leads past some
void release_warp_barriers(Warp&);
void sync_lanes(Warp&, Mask);  // they have met at a warp barrier
// As its lanes call it with these masks: does each lane that a mask names call it with the same one?
bool have_one_mask(const std::uint32_t* masks, Mask lanes, Mask alive);
void sync_groups(Warp&, Mask, const std::uint32_t* masks);
void meet_lanes(Warp&, Mask);  // at another operation, which orders no memory
// Of a fragment that goes round in a loop: where that begins, wherever it was stopped.
Place place_of_wait(const Fragment&);
// `not_started`: which blocks, in words; empty: none.
void report_deadlock(Run&, const std::vector<Block*>&, bool spinning, const std::string& not_started,
                     const std::string& about_host);

}  // namespace vgpu
