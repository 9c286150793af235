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
// On the virtual GPU each call is made by itself, and who has the device knows when which part of it begins:
//   {"op":"arrays","which":i}    the values of its arrays in host memory, if it has some
//   {"op":"call_one","which":i,"workspace":[{"address","bytes"}]}, what calls of its kind have been given before; the
//    answer comes as soon as the task has returned
//   {"op":"collect","which":i}   looks for errors; the values of arrays in host memory go back with the answer
// In call_one the runner may ask for an array of its Workspace, {"op":"workspace","index","bytes"}, and is answered
// {"address"}, or {"message"} or {"cuda_code"} if it cannot have it.
int serve(Bindings bindings, int socket, bool is_virtual);

}  // namespace lab
