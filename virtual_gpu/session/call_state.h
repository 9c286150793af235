// The states of a call of a program whose device another process has. Only the process with the device moves them;
// whoever asks for something that has no business in a state has used the device outside of a call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "virtual_gpu/session/wire.h"

namespace vgpu {

enum class CallState : std::uint8_t {
    starting,    // the program has begun, and no call was made: objects outside of functions are constructed
    idle,        // between two calls
    preparing,   // the program learns of the next call
    running,     // the call; all questions that make sense are answered
    collecting,  // it has returned, and the program is asked for errors
    recovering   // it has failed, and the program is asked whether its device still answers
};

std::optional<CallState> state_named(std::string_view name);  // "idle"

bool may_ask(wire::Op, CallState);
// What the program wanted, as a person who reads it calls it: "cudaMalloc", "a kernel launch".
std::string deed_of(wire::Op, std::string_view message);
// Where in the program, if the question says so; else "".
HostPlace place_in(wire::Op, std::string_view message);
// "outside of a call: while the next one is prepared", and what helps
std::string outside(CallState);

}  // namespace vgpu
