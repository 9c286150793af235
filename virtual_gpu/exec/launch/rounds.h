// What one thread did, instruction by instruction: which loop it is in, what ends the loop, and whether it ever does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

// A PTX instruction that the thread came to.
struct ThreadStep {
    const Frame* frame = nullptr;
    const Function* function = nullptr;
    std::uint32_t source = 0;
    bool on = true;              // its guard is true
    std::uint64_t a = 0, b = 0;  // of setp: what it compares, as bits
    const ptx::Instruction& ptx() const { return function->source->body[source]; }
};

using Registers = std::vector<std::uint64_t>;  // of one thread, by PTX register

// Whenever the thread came back to the first instruction of a loop. Of the last two times, its registers.
struct LoopHead {
    const Frame* frame = nullptr;
    const Function* function = nullptr;
    std::uint32_t source = 0;         // the first instruction
    std::uint32_t branch = 0;         // the last that led there
    std::vector<std::size_t> begins;  // steps that begin a round
    Registers before, now;            // at the last round's begin, and at its end
};

bool writes(const ptx::Instruction&, int reg);

// The instructions from which branches back to the loop's head are reached without passing its head.
std::vector<bool> body_of(const LoopHead&);

// A comparison on which it depends whether the thread leaves the loop, in the rounds that were seen.
struct Exit {
    Place branch, compare;
    const ptx::Instruction* setp = nullptr;
    std::vector<std::uint64_t> a, b;  // in each round
    bool is_same() const;             // in all of them
};
std::vector<Exit> exits_of(const LoopHead&, const std::vector<bool>& body, const std::vector<ThreadStep>&);

// Whether each further round does the same as the last. For then a thread's way through the loop depends only on
// registers that were the same at the last round's begin and end: on nothing that is read from memory, from a clock or
// from other threads.
bool repeats_forever(const LoopHead&, const std::vector<ThreadStep>&);

}  // namespace vgpu
