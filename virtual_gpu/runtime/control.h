// Settings from the environment and from vgpuConfigure, and the report that is written when the process ends.
#pragma once

#include <memory>
#include <string>

#include "virtual_gpu/device.h"
#include "virtual_gpu/session/session.h"

namespace vgpu::runtime {

class Runtime;

void options_from_environment(Options&, bool& report_leaks);
// 0: done; 1: no such key or a value that cannot be read.
int configure(Options&, bool& report_leaks, const std::string& key, const std::string& value);

// The report of what nobody has taken goes to VGPU_REPORT_FILE or VGPU_REPORT_FD as JSON; without these, findings go
// to stderr as text (VGPU_REPORT=none: nothing).
void report_at_exit();
// `says_unsupported`: what is not supported is said on stderr in any case.
void write_report_now(bool ended_well = false, bool says_unsupported = false);

// A signal handler for a process that is to be killed: says on stderr where it is, host code or kernel, and ends the
// kernel: "virtual GPU: stopped: ...".
void stop(int);

// The session of this process's program: people.cc and runners.cc differ in it. nullptr: `why` says so.
std::unique_ptr<Session> make_session(Runtime&, std::string& why);

}  // namespace vgpu::runtime
