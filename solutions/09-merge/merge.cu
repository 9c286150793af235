// Lab 9, merge: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the one
// before. Rung 1 merges many pairs of short runs, rungs 2 to 4 two long arrays, and rung 5 sorts by merging.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md).
//
// rung                        H200  idea
// one_thread_per_merge     82 GB/s  many small merges: a thread walks through each pair of runs
// rank_by_search          340 GB/s  a thread for each element; place: its index plus its rank in the other array
// splitters               777 GB/s  every k-th element cuts both arrays; a block merges each piece in shared memory
// merge_path            1,629 GB/s  every k-th place of the output is a cut; equal work for all threads
// merge_sort              146 GB/s  a network in registers, merges within a block, merges along the path
#include "merge.h"
