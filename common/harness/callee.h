// Who makes a call of a student's function: this process (student.h) or another, which is not trusted (peer.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grading/problem.h"

namespace lab {

struct CallResult {
    enum class Status { ok, skip, cuda_error, exception, memory, bad_request };
    Status status = Status::ok;
    std::string message;  // one line
    std::string where;    // "scan.cu:24", or ""
    std::string todo;     // "1" of todo("1")
    int cuda_code = 0;
    double seconds = 0;           // device time from just before the calls to the end of all their work
    double wall_seconds = 0;      // the same by the host's clock
    double transfer_seconds = 0;  // copies of the arrays to the device and back, outside the call
    std::size_t workspace = 0;    // bytes of temporary memory that the task asked for
    std::string report;           // the virtual GPU's JSON, or ""
    bool is_lost = false;         // this process cannot use the device any more
    bool ok() const { return status == Status::ok; }
};

const char* name_of(CallResult::Status);  // "ok", "cuda_error", ...

// The first failure is the cause of the others, and stays.
void fail(CallResult&, CallResult::Status, const std::string& message, int cuda_code = 0);

// Calls of the same purpose reuse the Workspace's memory.
std::string purpose_of(const Instance&);

// How another process reaches a device array of this one: on the virtual GPU by its address, on a GPU by CUDA IPC.
struct ArrayHandle {
    std::uint64_t address = 0;
    std::string handle;        // hexadecimal; empty on the virtual GPU
    std::uint64_t offset = 0;  // bytes from where the handle leads to
};

// What one call is made with.
struct CallArrays {
    Instance instance;
    std::vector<Array> inputs, outputs;  // `data` as the task gets it
    std::vector<ArrayHandle> handles;    // of inputs, then outputs, for a callee in another process
};

class Callee {
  public:
    virtual ~Callee() = default;
    // Which change of a program with changes (autograder/cause/what_if.h) the next calls are made with; 0: none.
    virtual void choose_change(int) {}
    // Before the clock starts: learns of the calls that come in one batch, and poisons the Workspace. The calls stay
    // where they are until they are made.
    virtual void prepare(std::span<const CallArrays> calls, std::size_t device_limit, CallResult&) = 0;
    // Makes them, with all their work on the device, until one fails. Fills the status and what belongs to it, and
    // `workspace`.
    virtual void call(CallResult&) = 0;
    // In their place as little as its process can do on the device: what remains of a batch without its calls.
    virtual void call_nothing(CallResult&) = 0;
    // After a failure: does the device still answer? Fills is_lost.
    virtual void recover(CallResult&) = 0;
    // Their memory is about to be freed.
    virtual void release() {}
    // Whether a call with this purpose has been made, so that the Workspace need not allocate.
    virtual bool is_warm(const Instance&) const = 0;
    virtual bool is_remote() const { return false; }
    // Whether events of this process tell when the call's work has ended.
    virtual bool shares_events() const { return true; }
};

}  // namespace lab
