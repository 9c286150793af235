// The runner as a server for the device process: calls of the student's functions, on arrays that the device process
// owns. What it answers is a claim; the device process keeps outputs, clock and findings.
#pragma once

#include "harness/call.h"

namespace lab {

// Takes messages (message.h) until the socket is closed; returns the exit status. One JSON object each:
//   {"op":"prepare","device_limit":bytes,"calls":[{"task":..,"variant":..,"n":..,"scalars":{..},
//    "arrays":[{"name","dtype","count","shift","on_host","out":bool, and "address", or on a GPU "handle","offset"}]}]}
//   {"op":"call"}      makes them; the values of arrays in host memory come as bytes, and go back with the answer
//   {"op":"release"}   the arrays are about to be freed
//   {"op":"recover"}
// and the answer {"status",..}.
//
// On the virtual GPU, "call" has "which", the call to make, and "workspace":[{"address","bytes"}], what calls of its
// kind have been given before. The answer comes as soon as the task has returned: {"op":"collect"} asks for errors
// then. In a call the runner may ask for an array of its Workspace, {"op":"workspace","index","bytes"}, and is answered
// {"address"}, or {"message"} or {"cuda_code"} if it cannot have it.
int serve(Bindings bindings, int socket, bool is_virtual);

}  // namespace lab
