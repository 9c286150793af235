// What the machine makes of atomics, which depends on their operands and on whether anyone reads the result.
#pragma once

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// How many passes through shared memory an atomic takes for each lane at its turn. 0 if it adds 1 to a word and drops
// the old value: a GPU counts the lanes with the same address first (ATOMS.POPC.INC), so they do not wait for each
// other. 2 for a compare-and-swap, and for what the assembler builds from it: floats and 64 bits. Measured on an H200.
int shared_passes(const ptx::Function&, const ptx::Instruction& atomic);

// Does anything in the function read the old value that an atomic returns?
bool is_result_used(const ptx::Function&, const ptx::Instruction& atomic);

// Does an atomic in global memory return what the function goes by? Such a kernel may draw tickets: what a block does
// then depends on which others run at that time.
bool may_draw_tickets(const ptx::Function&);

}  // namespace vgpu
