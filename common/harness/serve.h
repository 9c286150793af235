// The runner as a server for the device process: calls of the student's functions, on arrays that the device process
// owns. What it answers is a claim; the device process keeps outputs, clock and findings.
#pragma once

#include "harness/call.h"

namespace lab {

// Takes messages (message.h) until the socket is closed; returns the exit status. One JSON object each:
//   {"op":"prepare","task":..,"variant":..,"n":..,"scalars":{..},"device_limit":bytes,
//    "arrays":[{"name","dtype","count","shift","on_host","out":bool, and "address", or on a GPU "handle","offset"}]}
//   {"op":"call"}      calls it; the values of arrays in host memory come as bytes, and go back with the answer
//   {"op":"release"}   the arrays are about to be freed
//   {"op":"recover"}
// and the answer {"status",..}.
int serve(Bindings bindings, int socket);

}  // namespace lab
