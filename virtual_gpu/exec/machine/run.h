// One grid that runs: what it is given, how it is laid out, and what it has done so far.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "virtual_gpu/check/global_races.h"
#include "virtual_gpu/exec/decode/layout.h"
#include "virtual_gpu/exec/executor.h"
#include "virtual_gpu/exec/launch/grids.h"
#include "virtual_gpu/exec/report/reporter.h"
#include "virtual_gpu/exec/report/tracer.h"
#include "virtual_gpu/undefined/shadow.h"

namespace vgpu {

namespace what_if {
class Experiment;
class Writes;
}  // namespace what_if

constexpr int kLanes = 32;

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

// What all grids of one launch from the host share.
struct LaunchContext {
    Memory& memory;
    const ExecOptions& options;
    const std::atomic<bool>& stop_requested;
    const Module& module;
    GlobalRaces& global_races;
    // Kernels that needed their blocks to start in order, with this seed, and those that needed all to be resident.
    std::set<const Function*>&relies_on_order, &relies_on_all;
    Tracer& all_traces;  // the tracer and the watched elements: those of a Run are in Run::watch
    what_if::Writes& all_writes;
    HostSide* host = nullptr;  // if it goes on beside the launch
};

struct Hot {
    std::uint64_t instructions = 0, lanes = 0;
};

// The sums over all grids of one kernel, by count_base + source.
struct KernelCounters {
    std::vector<Hot> hot;
    std::vector<Counters> counters;       // only memory's and barriers' fields
    std::vector<std::vector<Hot>> runs;   // see Tally
    void settle(const Module&);           // from `runs` to `hot`
};

// A failed call of the device runtime, while the thread has not read its last error.
struct DeviceFailure {
    struct Launch {
        DeviceError error{};
        Place at;
        std::string why;  // which limit it breaks; "": none
    };
    DeviceError error{};           // the last one
    std::optional<Launch> launch;  // a failed launch, if the thread has not looked for errors since
};

// Settled before the first block starts.
struct GridSetup {
    std::uint16_t launch_number = 0;
    std::uint32_t threads_per_block = 0, warps_per_block = 0;
    std::uint64_t blocks_per_cost = 1;  // see BlockCost
    SharedLayout shared;
    std::vector<std::uint8_t> params;
    std::vector<std::uint32_t> tid_columns;  // [warp][3][32]
    std::array<std::uint32_t, 7> latency{};  // by LatencyClass
    // Blocks that draw tickets get as much work as their turns allow. So for the modelled time, all blocks that the
    // device holds take turns. Where nothing is counted, few blocks are resident, which shows more mistakes.
    bool takes_turns = false;
    DevicePtr grid_workspace = 0;  // of a cooperative launch, for its grid barrier
};

// What a grid counts, if it does.
struct Tally {
    Hot* hot = nullptr;  // of KernelCounters, by count_base + source
    Counters* counters = nullptr;
    // Straight runs of instructions, by the function's number and decoded index: how many begin there, less those that
    // have ended there. `hot` has what these do not tell.
    std::vector<Hot>* runs = nullptr;
    std::unordered_map<std::uint64_t, std::uint64_t> atomics;  // by line of L2: see add_atomic()
};

// Warp instructions that have run: in all, and until something else.
struct Progress {
    std::uint64_t steps = 0;
    std::uint64_t last = 0;     // until a write, a completed barrier, or anything else that a loop may wait for
    std::uint64_t changed = 0;  // until the last such change; see `watches`
    std::uint64_t timed = 0;    // until a clock was read on which a branch depends
    std::uint64_t asserted = 0;
    std::uint64_t skipped = 0;  // cycles that have passed while all warps waited for a time
    bool watches = false;       // no block has come to its end for long: does a write change anything?
    bool polls_host = false;    // a warp has read memory of the host by a strong access
    void note() { last = changed = steps; }
    void note_same() { last = steps; }  // a barrier, or a write of what was there already: a waiting loop may do that
};

// Who looks on, if anybody asked.
struct Watchers {
    Tracer* tracer = nullptr;                // while counting
    what_if::Experiment* what_if = nullptr;  // under rules
    what_if::Writes* writes = nullptr;       // while elements are watched
};

// Undefined bits on their way between registers and memory.
struct UndefinedInRun {
    RequestBits stored;              // of a store, while it runs
    RequestBits loaded;              // of the last load that had some
    std::set<const Instr*> decided;  // branches that an undefined value has decided
};

struct DeviceRuntime {
    std::uint64_t heap = 0;  // bytes that kernels have allocated by malloc()
    std::map<std::pair<std::uint64_t, std::uint32_t>, DeviceFailure> failures;  // by block and thread
};

struct Run : LaunchContext {
    Grids& grids;  // `grid` is one of them
    Grid& grid;
    LaunchResult& result;
    Reporter& reporter;
    bool counting = false, checking = false, failed = false;
    Random random;
    GridSetup setup;
    Tally tally;
    Progress progress;
    Watchers watch;
    UndefinedInRun undefined;
    DeviceRuntime device_runtime;
    static constexpr std::uint32_t kMostBad = 1 << 17;
    std::uint32_t bad_accesses = 0;

    Run(const LaunchContext& context, Grids& all, Grid& one, Reporter& rep, LaunchResult& r)
        : LaunchContext(context), grids(all), grid(one), result(r), reporter(rep) {}
    void execute();
    // Stops the kernel. The first failure counts.
    void fail(Status status, const std::string& message) {
        if (failed) return;
        failed = true;
        if (has_asserted()) return;
        result.status = status;
        result.message = message;
    }
    // An access that is not allowed. A GPU stops at the first. Here a bad read gives poison, so a loop that has left
    // its array might never end.
    void note_bad(Status status) {
        if (result.status == Status::ok) result.status = status;
        if (++bad_accesses == kMostBad) fail(result.status, "");
    }
    // An assertion has failed. As on a GPU, the other threads go on for a while, so that theirs are printed, too.
    bool has_asserted() const { return result.status == Status::device_assert; }
    Index3 thread_index(std::uint32_t thread) const;
    std::uint32_t warp_of(const Index3& thread) const;
    Index3 block_index(std::uint64_t linear) const;
};

// Passes races on to the reporter.
class GlobalRaceSink final : public GlobalConflictSink {
  public:
    explicit GlobalRaceSink(Run& run) : run_(run) {}
    void conflict(const GlobalConflict& c) override { run_.reporter.race(c); }

  private:
    Run& run_;
};

}  // namespace vgpu
