// The state of a running kernel: launch, blocks, warps, fragments, frames.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/check/global_races.h"
#include "virtual_gpu/check/shared_races.h"
#include "virtual_gpu/exec/code.h"
#include "virtual_gpu/exec/executor.h"
#include "virtual_gpu/exec/grids.h"
#include "virtual_gpu/exec/reporter.h"

namespace vgpu {

constexpr int kLanes = 32;
struct Block;
struct Run;

// A small generator, so that a seed gives the same order everywhere (splitmix64).
struct Random {
    std::uint64_t state = 0;
    std::uint64_t next() {
        std::uint64_t z = state += 0x9E37'79B9'7F4A'7C15u;
        z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9u;
        z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBu;
        return z ^ (z >> 31);
    }
    std::uint64_t below(std::uint64_t n) { return n <= 1 ? 0 : next() % n; }
};

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
    std::uint32_t* ready = nullptr;     // cycle at which each slot may be used
    std::uint64_t local_base = 0;       // in the lane's local memory
    std::vector<std::uint8_t> storage;

    void prepare(const Function&);
};

enum class State : std::uint8_t { ready, at_barrier, at_sync, at_warp_barrier };

// Lanes of a warp that stand at the same place of the same call.
struct Fragment {
    Frame* frame = nullptr;
    const Instr* ip = nullptr;
    Mask mask = 0;
    State state = State::ready;
    std::uint8_t barrier = 0;
    Mask wants = 0;          // at_sync, at_warp_barrier: lanes that it waits for
    std::uint32_t turn = 0;  // how often it had to let others go first
    std::uint32_t now = 0;   // clock of the latency chain
    int loops = 0;           // backward branches while others waited
    bool spins = false;      // and strong reads among them, or a loop without any way out
    bool strong = false;     // strong reads
};

enum class Stop : std::uint8_t { boundary, diverged, loop, barrier, sync, warp_barrier, exit, failed };

struct Warp {
    // Hot: what every handler uses.
    std::uint8_t* base[2] = {nullptr, nullptr};  // registers of the frame, constants of the module
    Mask mask = 0;                               // lanes of the running fragment
    std::uint32_t now = 0;
    std::uint32_t* ready = nullptr;
    const Instr* limit = nullptr;  // another fragment of the frame waits here
    const Instr* resume = nullptr;
    Stop stop = Stop::boundary;
    bool alone = true;     // no other fragment
    bool strong = false;   // has read by a strong access since it was chosen
    bool endless = false;  // is in a loop of one instruction
    Run* run = nullptr;
    Block* block = nullptr;
    Frame* frame = nullptr;
    const Function* function = nullptr;

    int number = 0;   // in the block
    Mask exists = 0;  // lanes that the block has
    Mask alive = 0;   // that have not exited
    std::size_t current = 0;
    std::vector<Fragment> fragments;
    std::vector<std::unique_ptr<Frame>> frames, spare_frames;
    std::uint64_t instructions = 0;
    std::uint32_t finished_at = 0;
    std::vector<std::uint8_t> local, local_written;
    std::uint64_t local_capacity = 0;  // bytes a lane
    const std::uint32_t* tid[3] = {nullptr, nullptr, nullptr};

    template <class T>
    T* col(Column c) const {
        return reinterpret_cast<T*>(base[c >> 31] + (c & ~kConstantBit));
    }
    Mask predicate(Column c) const { return *col<Mask>(c); }

    Frame* new_frame(const Function&);
    void drop_frame(Frame*);
    void grow_local(std::uint64_t bytes);
    bool blocked() const {
        for (const Fragment& f : fragments)
            if (f.state == State::ready) return false;
        return true;
    }
};

struct Barrier {
    std::uint32_t arrived = 0;   // threads, also those that only arrived (bar.arrive)
    std::uint32_t expected = 0;  // 0: all of the block that have not exited
    std::array<Mask, kLanes> lanes{};
    const Instr* first = nullptr;
    const Function* first_function = nullptr;
    int first_thread = 0;
    std::uint32_t true_count = 0;  // bar.red
    std::uint32_t latest = 0;      // clock of the last to arrive
    bool named = false;            // has a thread count: warps may stand at different lines, and who has left is missed
};

// Lanes of a warp that went past barriers, since the block's last one.
struct Passed {
    const Function* function = nullptr;
    std::uint32_t bypass = 0;  // in function->bypasses
    int warp = 0;
    Mask lanes = 0;
};

struct Block {
    std::uint64_t linear = 0;
    Index3 index{};
    std::vector<Warp> warps;
    std::array<Barrier, 16> barriers;
    std::vector<Passed> passed;
    std::uint32_t threads = 0, live = 0;
    std::vector<std::uint8_t> shared, shared_written;
    std::unique_ptr<SharedRaces> races;  // and `order`: only while checking
    std::unique_ptr<BlockOrder> order;
    BlockCost cost;
    std::uint32_t next_warp = 0;
    bool done = false;
    // The first thread that left early, for the note at a barrier.
    const Instr* exit_at = nullptr;
    const Function* exit_function = nullptr;
    int exit_thread = -1;
};

struct Hot {
    std::uint64_t instructions = 0, lanes = 0;
};

// Of all grids of one kernel, by count_base + source.
struct KernelCounters {
    std::vector<Hot> hot;
    std::vector<Counters> counters;  // only memory's and barriers' fields
};

// What failed in the device runtime, of a thread that has not taken its last error since.
struct DeviceFailure {
    struct Launch {
        DeviceError error{};
        Place at;
    };
    DeviceError error{};           // the last one
    std::optional<Launch> launch;  // that failed, and the thread has not even looked
};

// One grid.
struct Run {
    Memory& memory;
    const ExecOptions& options;
    const std::atomic<bool>& stop_requested;
    const Module& module;
    Grids& grids;  // that it is one of
    Grid& grid;
    const Function& kernel;
    const Launch& launch;
    LaunchResult& result;
    Reporter& reporter;
    Random random;
    bool counting = false, checking = false, failed = false;
    GlobalRaces* global_races = nullptr;  // while checking
    std::uint16_t launch_number = 0;
    std::uint32_t threads_per_block = 0, warps_per_block = 0;
    std::uint32_t static_shared = 0, shared_bytes = 0;
    std::vector<std::uint32_t> shared_place, shared_size;  // by number of the variable
    std::vector<std::uint8_t> params;
    std::vector<std::uint32_t> tid_columns;  // [warp][3][32]
    Hot* hot = nullptr;                      // of KernelCounters, while counting
    Counters* counters = nullptr;
    std::unordered_map<DevicePtr, std::uint64_t> atomics;  // lanes by address
    std::uint64_t steps = 0, last_progress = 0;
    DevicePtr grid_workspace = 0;
    std::uint64_t first_touches = 0, first_loads = 0;
    std::uint64_t device_heap = 0;
    std::array<std::uint32_t, 7> latency{};                                     // by LatencyClass
    std::map<std::pair<std::uint64_t, std::uint32_t>, DeviceFailure> failures;  // by block and thread

    Run(Memory& m, const ExecOptions& o, const std::atomic<bool>& stop, const Module& mod, Grids& all, Grid& g,
        Reporter& rep, LaunchResult& r)
        : memory(m),
          options(o),
          stop_requested(stop),
          module(mod),
          grids(all),
          grid(g),
          kernel(*g.kernel),
          launch(g.launch),
          result(r),
          reporter(rep) {}
    void execute();
    // Stops the kernel. The first failure counts.
    void fail(Status status, const std::string& message) {
        if (failed) return;
        failed = true;
        result.status = status;
        result.message = message;
    }
    Index3 thread_index(std::uint32_t thread) const;
    std::uint32_t warp_of(const Index3& thread) const;
    Index3 block_index(std::uint64_t linear) const;
};

inline int first_lane(Mask m) { return std::countr_zero(m); }

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

// Tells the reporter.
class GlobalRaceSink final : public GlobalConflictSink {
  public:
    explicit GlobalRaceSink(Run& run) : run_(run) {}
    void conflict(const GlobalConflict& c) override { run_.reporter.race(c); }

  private:
    Run& run_;
};

// warp.cc
void start_warp(Warp&, const Function& kernel);
// Runs up to `budget` instructions; false if nothing could run.
bool run_warp(Warp&, std::int64_t budget);
void exit_lanes(Warp&, const Instr*, Mask);
// Puts the lanes in `mask` at `ip` into a fragment of their own, which runs later; the rest goes on after `i`.
const Instr* split(Warp&, const Instr* i, Mask mask, const Instr* ip);
// barrier.cc
const Instr* arrive(Warp&, const Instr*, Mask, int barrier, std::uint32_t expected, bool wait);
void check_barriers(Block&);                            // after threads have exited
void pass_barriers(Warp&, Mask, std::uint32_t bypass);  // lanes take a branch that leads past some
void release_warp_barriers(Warp&);
void sync_lanes(Warp&, Mask);  // they have met at a warp barrier
void report_deadlock(Run&, const std::vector<Block*>&, bool spinning);

}  // namespace vgpu
