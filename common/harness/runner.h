// Makes one call of a task: places the arrays, has it called, times it, and reports what went wrong. Used by the
// device process (device/), the standalone program (cli.cc) and the tests (lab_test.cc).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "grading/problem.h"
#include "harness/arrays.h"
#include "harness/callee.h"

namespace lab {

// One array of a call on the caller's side.
struct Argument {
    ArraySpec spec;
    bool is_output = false;
    const void* from = nullptr;  // inputs: the values; outputs: the byte that fills it before the call
    void* to = nullptr;          // outputs: the result; inputs: the values after the call, or null
};

// One call: arguments in the order inputs, then outputs, of the task's Shape.
struct WantedCall {
    Instance instance;
    std::span<const Argument> arguments;
};

struct CallOptions {
    std::uint64_t schedule = 0;    // seed of the virtual GPU's order of blocks and warps
    bool checks = true;            // the virtual GPU's checks for races and uninitialised reads
    bool counters = true;          // the virtual GPU's counters; its time is modelled from them
    bool timed = false;            // flush L2 first; warm up with an untimed call if the Workspace is still empty
    bool nothing = false;          // everything but the calls: what they cost beside their own work
    std::string trace;             // the virtual GPU: the line whose addresses are wanted, "41 scan.cu"; "": none
    std::string what_if;           // the virtual GPU: rules of virtual_gpu/README.md, "What-if rules"; "": none
    std::uint64_t max_steps = 0;   // warp instructions of a launch on the virtual GPU; 0: as many as it needs
    int change = 0;                // of a program with changes, see Callee::choose_change
    std::size_t device_limit = 0;  // bytes of device memory that a task may allocate, 0: no limit
};

class Runner {
  public:
    explicit Runner(Callee& callee);
    ~Runner();

    // Calls of one task in one batch, on a single clock. If the callee is another process on a GPU, `seconds` runs
    // from before the inputs are where it can reach them until the outputs are where it cannot.
    CallResult call(std::span<const WantedCall>, const CallOptions&);

    // "NVIDIA H200", or what the virtual GPU models.
    static std::string device_name();
    // Bytes read and written per second by cudaMemcpy on the device: the roof for a memory-bound task.
    static double copy_bandwidth();

  private:
    void make_calls(std::span<const WantedCall>, const CallOptions&, CallResult&);
    struct Placed;
    void invoke(Placed&, const CallOptions&, bool timed, CallResult&);
    void time_by_events(Placed&, const CallOptions&, bool timed, CallResult&);
    void time_apart(Placed&, const CallOptions&, bool timed, CallResult&);
    void let_call(const CallOptions& options, CallResult& result) {
        options.nothing ? callee_.call_nothing(result) : callee_.call(result);
    }

    Callee& callee_;
    std::unique_ptr<KeptMemory> kept_;     // of a GPU whose arrays another process can reach
    std::map<std::string, void*> places_;  // of the arrays of earlier calls, by name
};

}  // namespace lab
