// The virtual GPU's controls, which only its libcudart.so exports; on a GPU they do nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lab::control {

bool is_virtual();
// Keys: seed, checks, counters, profile, memory_limit, launch_depth, pending_launches, trace. False if the virtual GPU
// refuses the value.
bool configure(const char* key, const std::string& value);
std::string take_report();  // returns the report as JSON and clears it; "" on a GPU
void poison(void* device, std::size_t bytes);
void forget(void* device, std::size_t bytes);          // keeps the values, and treats them as uninitialised
void expect_defined(void* device, std::size_t bytes);  // a finding if undefined values were stored there
void label(void* device, const std::string& name);
void reuse(void* freed);  // by the next allocation, so that it has the same address
void begin();             // what is timed: CPU time of the host until now does not count
// The task has returned: what it left running in streams of its own is a finding.
void returned();
void reset();  // clears a sticky error
// Of the device process, on the virtual GPU: the program whose questions serve() answers, one at a time; false: it
// cannot be read, or has closed its end.
bool serves(const std::string& program);
bool serve(int socket);
// From now on this signal makes the virtual GPU end its kernel, if one runs.
void end_kernel_on(int signal);
// From now on this signal makes the virtual GPU end its kernel and print on stderr where the program was.
void stop_on(int signal);

}  // namespace lab::control
