// Makes one call of a student's task: places the arrays, calls, waits, times, and reports what went wrong.
// Used by the grader's protocol (serve.cc), the standalone program (cli.cc) and the tests (lab_test.cc).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grading/problem.h"
#include "harness/call.h"
#include "harness/workspace.h"

namespace lab {

// One array of a call on the caller's side.
struct Argument {
    ArraySpec spec;
    bool is_output = false;
    const void* from = nullptr;  // inputs: the values; outputs: what it holds before the call (poison)
    void* to = nullptr;          // outputs: the result; inputs: the values after the call, or null
};

struct CallOptions {
    std::uint64_t schedule = 0;    // seed of the virtual GPU's order of blocks and warps
    bool checks = true;            // the virtual GPU's checks for races and uninitialised reads
    bool counters = true;          // the virtual GPU's counters; its time is modelled from them
    bool timed = false;            // flush L2 first; warm up with an untimed call if the Workspace is still empty
    std::size_t device_limit = 0;  // bytes of device memory that a task may allocate, 0: no limit
};

struct CallResult {
    enum class Status { ok, skip, cuda_error, exception, memory, bad_request };
    Status status = Status::ok;
    std::string message;  // one line
    std::string where;    // "scan.cu:24", or ""
    std::string todo;     // "1" of todo("1")
    int cuda_code = 0;
    double seconds = 0;           // device time from just before the call to the end of all its work
    double wall_seconds = 0;      // the same by the host's clock
    double transfer_seconds = 0;  // copies of the arrays to the device and back, outside the call
    std::size_t workspace = 0;    // bytes of temporary memory that the task asked for
    std::string report;           // the virtual GPU's JSON, or ""
    bool is_lost = false;         // this process cannot use the device any more
    bool ok() const { return status == Status::ok; }
};

const char* name_of(CallResult::Status);  // "ok", "cuda_error", ...

class Runner {
  public:
    Runner(Lab lab, Bindings bindings);

    const Lab& lab() const { return lab_; }
    // Arguments in the order inputs, then outputs, of the task's Shape. Never throws what the student's code threw.
    CallResult call(const Instance&, std::span<const Argument>, const CallOptions&);

    // "NVIDIA H200", or what the virtual GPU models.
    static std::string device_name();
    // Bytes read and written per second by cudaMemcpy on the device: the roof for a memory-bound task.
    static double copy_bandwidth();

  private:
    void make_call(const Instance&, std::span<const Argument>, const CallOptions&, CallResult&);
    void invoke(const Instance&, std::span<const Array> inputs, std::span<const Array> outputs, const CallOptions&,
                bool timed, CallResult&);

    Lab lab_;
    Bindings bindings_;
    PooledWorkspace work_;
};

}  // namespace lab
