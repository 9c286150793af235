// Lab 4, compact: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the one
// before. Modelled on the virtual GPU, n = 2^20, half kept: time, and bytes of global memory for each int.
//
// rung             time  bytes  idea
// three_kernels  318 us   35.0  ask every element, scan the answers, move what is kept
// fused          231 us   12.1  answers and places stay in the block; only one count a tile goes through memory
// warp_ballot    127 us   11.2  a warp counts by votes: no shared memory, no barrier
// look_back       65 us    6.9  one launch: each element read once; tiles look back at the counts of earlier ones
#include "compact.h"
