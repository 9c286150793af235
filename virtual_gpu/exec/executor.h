// The interpreter: runs linked PTX warp by warp on one CPU thread. A seed reproduces a run exactly.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/device.h"
#include "virtual_gpu/exec/launch_result.h"
#include "virtual_gpu/memory/memory.h"
#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/what_if/rules.h"

namespace vgpu {

namespace what_if {
class Writes;
}

struct ExecOptions {
    std::uint64_t seed = 0;                            // residency, order of blocks and warps: see Schedule
    std::uint16_t launches_before = 0;                 // set by configure(): a seed means the same whatever ran before
    bool check_memory = true;                          // races, uninitialised reads; bounds are always checked
    bool count = true;                                 // counters and everything that the modelled time needs
    std::uint64_t max_steps = std::uint64_t{1} << 36;  // warp instructions of one launch; then a deadlock is reported
    std::uint64_t max_stall_steps = std::uint64_t{1} << 22;  // without visible progress of any warp: endless spinning
    int sm_count = 8;                                        // %nsmid
    int max_resident_blocks = 512;  // blocks in flight at once, at most; the seed picks the number
    std::uint32_t max_shared_bytes = 227 * 1024;
    std::uint32_t default_shared_bytes = 48 * 1024;  // of a launch by a kernel; see Launch::shared_limits
    int launch_depth = kDeepestLaunch;               // see Options::launch_depth
    int max_findings = 100;                          // different ones a launch
    int clock_khz = 1'000'000;                       // %globaltimer against %clock
    std::string trace;                               // see Options::trace
    what_if::Rules what_if;
    Latencies latencies;
};

class LaunchOrder;
struct EarlyAccess;
struct Function;
struct Grid;  // exec/grids.h

// Hears of each grid of a launch, the host's and those that kernels launch, in the order in which they run.
class GridObserver {
  public:
    virtual ~GridObserver() = default;
    virtual void ran(const Grid&, const LaunchResult&) = 0;  // all but total and lines is filled in
    // At the end, for each kernel: what all its grids did together, the host's apart from those launched by kernels.
    virtual void counted(const Function&, bool by_kernel, const Counters& total, const std::vector<LineCounters>&) = 0;
};

class Executor {
  public:
    Executor(Memory&, const ExecOptions&);
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    void configure(const ExecOptions&);
    const ExecOptions& options() const;

    // Takes a linked program, and allocates and initialises its global variables. A kernel is decoded at its first use.
    // An instruction that is not implemented is an error only when it is reached.
    // `places`: addresses of those of its variables that the host has, too.
    Status load(ptx::Program, ModuleId& out, std::string& message, const VariablePlaces& places = {});
    const ptx::Program* program(ModuleId) const;  // nullptr: no such module
    Status function(ModuleId, std::string_view name, FunctionInfo& out) const;
    Status symbol(ModuleId, std::string_view name, DevicePtr& out, std::size_t& bytes) const;
    // A call begins: as options().what_if says, variables have their initial values again, or are zero.
    void begin_call();

    // Runs a kernel and all that it launches. The result holds findings even if the status is ok; its `total` and
    // `lines` are of the kernel alone.
    // invalid_configuration: a dimension of 0 or too large, too much shared memory. not_found: no such kernel.
    Status launch(const Launch&, LaunchResult&, GridObserver* = nullptr);

    void set_host(HostSide*);  // of the launches from now on

    // What was seen on the line that options().trace names, since the last call.
    std::optional<Trace> take_trace();

    // Who wrote what, under the rule that asks for it.
    what_if::Writes& writes();

    // For races between streams: which records of the race check belong to the last launch, and the source place of one
    // of its instructions.
    const LaunchOrder& order() const;
    const std::vector<EarlyAccess>& early_accesses() const;
    SourcePlace source(ModuleId, std::uint32_t pc) const;

    // Ends the running launch and all later ones with Status::timed_out, at the end of a warp's time slice. May be
    // called from any thread and from a signal handler.
    void stop();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace vgpu
