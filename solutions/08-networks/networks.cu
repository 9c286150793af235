// Lab 8, sorting networks: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed
// from the one before. Rung 1 sorts each four neighbours, rungs 2 and 3 each tile by itself, the others the whole
// array.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md).
//
// rung                     H200  idea
// four_inputs        2,305 GB/s  a table of comparators; a thread sorts four elements in its registers
// odd_even              21 GB/s  neighbours, in as many phases as a tile has elements; in shared memory
// bitonic_block        339 GB/s  runs that ascend and descend are merged: log2 n (log2 n + 1) / 2 steps a tile
// bitonic_global        23 GB/s  any n: far strides in global memory, a launch each, near ones in shared memory
// bitonic_registers     76 GB/s  several elements a thread: four strides a pass in registers, shuffles below 32
#include "networks.h"
