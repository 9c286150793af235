// The virtual GPU's controls, which only its libcudart.so for people and for the device process exports. On a GPU, and
// in a runner under the grader, they do nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lab::control {

bool is_virtual();  // and in this process
// Keys: seed, checks, counters, profile, memory_limit, launch_depth, pending_launches, trace, what_if,
// max_steps. False if the virtual GPU
// refuses the value.
bool configure(const char* key, const std::string& value);
std::string take_report();  // returns the report as JSON and clears it; "" on a GPU
void poison(void* device, std::size_t bytes);
void forget(void* device, std::size_t bytes);          // keeps the values, and treats them as uninitialised
void expect_defined(void* device, std::size_t bytes);  // a finding if undefined values were stored there
void label(void* device, const std::string& name);
void reuse(void* freed);  // by the next allocation, so that it has the same address
void begin();             // what is timed: CPU time of the host until now does not count
// What this process does meanwhile takes no time of what is timed.
class HeldClock {
  public:
    HeldClock();
    ~HeldClock();
    HeldClock(const HeldClock&) = delete;
    HeldClock& operator=(const HeldClock&) = delete;
};
// The task has returned: what it left running in streams of its own is a finding.
void returned();
void reset();  // clears a sticky error
// Of the device process, on the virtual GPU, for a program of which only the file is trusted. False: it cannot be read.
// `process`: how its processor time is seen, "pid:1234", "files:7,8" or "" (virtual_gpu/session/host_time.h).
bool serves(const std::string& program, const std::string& process);
// Its call enters a state (virtual_gpu/session/call_state.h): "idle", "preparing", "running", "collecting",
// "recovering". `host_bytes` of arrays travel to the program or back meanwhile.
void enter(const char* state, std::size_t host_bytes = 0);
enum class Served { answered, gone, refused };
Served serve(int socket);  // one question
struct Refusal {
    std::string what, where;
};
Refusal refusal();  // of the last question
// From now on this signal makes the virtual GPU end its kernel, if one runs.
void end_kernel_on(int signal);
// From now on this signal makes the virtual GPU end its kernel and print on stderr where the program was.
void stop_on(int signal);

}  // namespace lab::control
