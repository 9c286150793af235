// What the machine makes of atomics, which depends on their operands and on whether anyone reads the result.
#pragma once

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// Adds 1 to a word and drops the old value. In shared memory, a GPU counts the lanes with the same address first
// (ATOMS.POPC.INC), so they do not wait for each other.
bool only_counts(const ptx::Function&, const ptx::Instruction& atomic);

// Does an atomic in global memory return what the function goes by? Such a kernel may draw tickets: what a block does
// then depends on which others run at that time.
bool may_draw_tickets(const ptx::Function&);

}  // namespace vgpu
