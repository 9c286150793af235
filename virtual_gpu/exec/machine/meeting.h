// Lanes of a warp that meet at *_sync operations.
#pragma once

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

// True: the handler executes the instruction now, for all lanes of the member masks that have not exited. False: it
// returns `next`. Then the fragment waits, or the operation was executed together with fragments that waited at other
// instructions: the same operation with the same mask counts as one (PTX ISA: "all non-exited threads corresponding to
// membermask have executed shfl.sync with the same qualifiers and same membermask value").
bool all_here(const Instr*, Warp&, Mask, Column members, const Instr*& next);

// "__shfl_down_sync": what people call the operation.
std::string name_of_sync(const ptx::Instruction&);
// The operation at which a fragment waits for lanes of its warp.
std::string name_of_sync(const Fragment&);
// Where that operation is.
Place place_of_sync(const Fragment&);
// Lanes that wait for each other at operations, or with masks, that do not fit together: a finding, and true. CUDA
// leaves the result undefined; an H200 hangs.
bool report_mismatch(Run&, Block&);

}  // namespace vgpu
