// The runner as a server for the grader: requests on one pipe, replies on another, arrays in shared memory.
#pragma once

#include "harness/runner.h"

namespace lab {

struct ServeFds {
    int commands, replies, memory;
};

// Takes requests until {"op":"quit"} or the end of the pipe; returns the exit status. One JSON object a line:
//   {"op":"call","task":..,"variant":..,"n":..,"seed":..,"scalars":{"width":..}, optional,
//    "arrays":[{"name","dtype","count","shift","on_host","role":"in"|"out","at":byte offset,
//    "back":byte offset, inputs, optional}],"schedule":..,"checks":..,"counters":..,"timed":..,
//    "device_limit":bytes, optional}
// and the reply {"status",..} as docs/grading.md describes it. SIGUSR1 asks the virtual GPU to end its kernel and to
// print on stderr where the program was: "virtual GPU: stopped: ...". The grader sends it before it kills the process.
int serve(Runner& runner, const ServeFds& fds);

}  // namespace lab
