// Lab 9, merge: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the one
// before. Rung 1 merges many pairs of short runs, rungs 2 to 4 two long arrays, and rung 5 sorts by merging.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md).
//
// rung                     time  bytes  idea
// one_thread_per_merge   405 us  123.9  many small merges: a thread walks through each pair of runs
// rank_by_search         543 us   47.2  a thread for each element; place: its index plus its rank in the other array
// splitters              291 us   14.8  every k-th element cuts both arrays; a block merges each piece in shared memory
// merge_path              91 us    9.5  every k-th place of the output is a cut; equal work for all threads
// merge_sort           1,110 us   90.8  a network in registers, merges within a block, merges along the path
#include "merge.h"
