// What a program may send to the process that has its device, right and mutated, in every state of a call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "virtual_gpu/session/server.h"
#include "virtual_gpu/session/wire.h"

namespace vgpu::fuzz {

struct Sent {
    wire::Op op{};
    std::string message;
};

inline constexpr CallState kStates[] = {CallState::starting, CallState::idle,       CallState::preparing,
                                        CallState::running,  CallState::collecting, CallState::recovering};

// A session with an array of 4096 bytes and a kernel.
struct Served4096 {
    std::unique_ptr<LocalSession> session;
    Guest guest;
    DevicePtr array = 0;
};
std::unique_ptr<Served4096> serve();

// One of each kind of question, and of each way of a copy; they are right if `at` is the array.
std::vector<Sent> questions(DevicePtr at);

struct Answered {
    Served served = Served::gone;
    bool has_answer = false;
    Status status = Status::ok;
    std::string text;  // of the answer
};
// The question and some data behind it, all that the program ever sends; answered by the server in this thread.
Answered ask(Served4096&, const Sent&);

// `messages` of them, mutated and in any order. Returns what is wrong with the answers, or "".
std::string run(std::uint64_t messages, std::uint64_t seed);

}  // namespace vgpu::fuzz
