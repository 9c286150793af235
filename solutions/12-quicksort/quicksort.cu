// Lab 12, quicksort: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the
// one before. pivots.cuh has what they share: places that no input can foresee, and a network in shared memory.
//
// rung              idea
// one_thread        a thread partitions a range and launches a child for either side
// block_partition   a block partitions a range; small ranges are sorted in shared memory
// segmented_scan    no recursion: every round partitions all ranges at once, by segmented scans
// sample_partition  many ways at once, between splitters from a sample; equal keys are done
#include "quicksort.h"
