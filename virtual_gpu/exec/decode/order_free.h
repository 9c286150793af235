// Which code gives the same result in every order of warps and blocks, if it has no race.
#pragma once

#include "virtual_gpu/exec/decode/code.h"

namespace vgpu {

// Whether the threads of a decoded function learn of each other by plain accesses and barriers alone. Then the program
// decides what each of them reads, unless two accesses race, which the check tells in any schedule. False if it reads
// what an atomic returns, adds floats by atomics, mixes kinds of atomics, waits for flags, reads a clock, launches, or
// does anything of which it is not known here. Says nothing of the functions that it calls.
bool is_order_free(const Function&);

}  // namespace vgpu
