// The device process as a server for the grader: requests on one pipe, replies on another, arrays in shared memory.
#pragma once

#include "harness/runner.h"

namespace lab {

struct ServeFds {
    int commands, replies, memory;
};

// Takes requests until {"op":"quit"} or the end of the pipe; returns the exit status. One JSON object a line:
//   {"op":"hello"}, {"op":"bandwidth"}
//   {"op":"call","task":..,"variant":..,"n":..,"seed":..,"scalars":{"width":..}, optional,
//    "arrays":[{"name","dtype","count","shift","on_host","role":"in"|"out","at":byte offset,
//    "back":byte offset, inputs, optional}],"schedule":..,"checks":..,"counters":..,"timed":..,
//    "device_limit":bytes, "nothing":.., "trace":"41 scan.cu", "what_if":"rewind", "max_steps":.., "change":..,
//    "further":[as many calls more of the same task, with "n", "scalars", "arrays"], optional}
// and the reply {"status",..} as docs/grading.md describes it; the status "gone" if the runner is. SIGUSR1 ends the
// virtual GPU's kernel, if one runs. The grader sends it, here and to the runner, before it kills both.
int serve(Callee& callee, const ServeFds& fds);

}  // namespace lab
