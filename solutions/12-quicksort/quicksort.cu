// Lab 12, quicksort: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the
// one before. pivots.cuh has what they share: places that no input can foresee, and a network in shared memory.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md).
//
// rung                    H200  idea
// one_thread        0.044 GB/s  a thread partitions a range and launches a child for either side
// block_partition     3.4 GB/s  a block partitions a range; small ranges are sorted in shared memory
// segmented_scan      6.4 GB/s  no recursion: every round partitions all ranges at once, by segmented scans
// sample_partition     76 GB/s  many ways at once, between splitters from a sample; equal keys are done
#include "quicksort.h"
