// Lab 9, merge: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the one
// before. Rung 1 merges many pairs of short runs, rungs 2 to 4 two long arrays, and rung 5 sorts by merging.
//
// rung                  idea
// one_thread_per_merge  many small merges: a thread walks through each pair of runs
// rank_by_search        a thread for each element: its place is its own index plus its rank in the other array
// splitters             every k-th element cuts both arrays; a block merges each piece in shared memory
// merge_path            every k-th place of the output is a cut: equal work for all blocks and all threads
// merge_sort            a network in registers, merges within a block, merges along the path
#include "merge.h"
