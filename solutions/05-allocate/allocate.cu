// Lab 5, allocate: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the
// one before. Rungs 1 and 2 clip triangles, 3 finds words, 4 and 5 expand elements into their outputs.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24, triangles at 2^22 (docs/times-h200.md).
//
// rung                      H200  idea
// max_slots             371 GB/s  room for the most that an element can give; then compact
// count_scan_scatter  1,065 GB/s  count first, scan, and write to the place that is known then
// words                 379 GB/s  the same for a text: 16 bytes are an element, and a word's two ends meet later
// thread_per_output     298 GB/s  a thread for each output, which searches for its element
// load_balanced       1,235 GB/s  blocks with equal shares of elements and outputs; few searches, then a walk
#include "allocate.h"
