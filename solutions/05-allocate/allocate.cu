// Lab 5, allocate: the ladder. Each rung has a file of its own, NAME.cu; its comment says only what changed from the
// one before. Rungs 1 and 2 clip triangles, 3 finds words, 4 and 5 expand elements into their outputs.
//
// rung                idea
// max_slots           room for the most that an element can give; then compact
// count_scan_scatter  count first, scan, and write to the place that is known then
// words               the same for a text: 16 bytes are an element, and a word's two ends meet later
// thread_per_output   a thread for each output, which searches for its element
// load_balanced       blocks with equal shares of elements and outputs; few searches, then a walk
#include "allocate.h"
