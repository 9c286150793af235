// Lab 4, compact: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the one
// before. Half of the elements are kept.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md).
//
// rung                 H200  idea
// three_kernels    435 GB/s  ask every element, scan the answers, move what is kept
// fused            585 GB/s  answers and places stay in the block; only one count a tile goes through memory
// warp_ballot    1,246 GB/s  a warp counts by votes: no shared memory, no barrier
// look_back      1,216 GB/s  one launch: each element read once; tiles look back at the counts of earlier ones
#include "compact.h"
