// Lab 5, allocate: the contract. What each task takes, returns, and may rely on.
//
// Each of n elements makes none, one or many outputs. All outputs lie side by side, in the order of the elements:
//     element      0     1     2     3
//     outputs     a b    -   c d e   f         out  a b c d e f
#pragma once

#include "clip.h"                // tasks 1 and 2: Point, Triangle, Window, Polygon, clip(), fan()
#include "toolbox/basics.h"      // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/primitives.h"  // primitives::exclusive_sum(): n counts become n + 1 offsets, the last one the total

// ---- Tasks 1 and 2: triangles in a window. Each of them makes 0 to 5 triangles ----

// Task 1: every triangle has kMostTriangles slots in temporary memory; the slots in use are then moved together.
void max_slots(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work);

// Task 2: no slots. Count first, and write when every triangle knows its place.
void count_scan_scatter(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work);

// The part of a triangle inside the window is the polygon that clip() finds. Its outputs are the triangles
// fan(polygon, 0), fan(polygon, 1), ... d_out has room for n * kMostTriangles.
// n <= 2^22: then 2 GB hold the input, the output and another array as large as the output.
// clip() decides how many triangles there are. A coordinate that you compute in another way may differ by 8 roundings
// for each side that cuts it (derived in grading/oracle.cc).

// ---- Task 3: words of a text ----

// Task 3: a word is a maximal run of bytes without a blank. Word w begins at byte d_offsets[w] and has d_lengths[w]
// bytes. d_text has n bytes, n <= 2^26, and no terminating 0; d_offsets and d_lengths have room for (n + 1) / 2 each.
void words(const unsigned char* d_text, int* d_offsets, int* d_lengths, int* d_count, int n, Workspace& work);

// A blank is a space, a tab, LF, VT, FF or CR. All other bytes, 0 and those above 127 among them, are parts of words.
__host__ __device__ inline bool is_blank(unsigned char byte) { return byte == ' ' || (byte >= 9 && byte <= 13); }

// ---- Tasks 4 and 5: elements with a given number of outputs, from none to all of them ----

// Task 4: a thread for each output. Which element does it belong to?
template <class Make>
void thread_per_output(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make,
                       Workspace& work);

// Task 5: each block has the same number of elements and outputs together, wherever the outputs come from.
template <class Make>
void load_balanced(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make, Workspace& work);

// Element i makes d_counts[i] >= 0 outputs. Its k-th output, counted from 0, is make(d_values[i], k): call the make
// that you are given. d_out has room for `total`, the sum of all counts. n <= 2^24, total <= 2^26 (0 if n is 0).

// Decodes a run-length code: 7 three times is 7 7 7.
struct Repeat {
    __host__ __device__ int operator()(int value, int) const { return value; }
};

// Ranges, such as the edges of a graph's node: with step 1, three from 7 on are 7 8 9. It wraps around at 2^32; in C++
// only unsigned integers may do that, hence the casts.
struct CountUp {
    int step;
    __host__ __device__ int operator()(int value, int k) const {
        return static_cast<int>(static_cast<unsigned>(value) + static_cast<unsigned>(step) * static_cast<unsigned>(k));
    }
};

// ---- In every task ----
//   d_in, d_text, d_values, d_counts
//                   the input: device memory, 256-byte aligned. Read only: the grader checks this.
//   d_out, d_offsets, d_lengths
//                   device memory, 256-byte aligned, full of garbage; never overlaps an input. It has room for the most
//                   outputs that there can be. Nothing may be written beyond the last output.
//   d_count         one int of device memory: how many outputs there are. Write it for n = 0, too.
//   n               0 <= n <= the limit given above. All sums of counts stay below 2^31. A launch of 0 blocks is an
//                   error: for n = 0, do not launch.
//   work            temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count).
//                   Each get() returns another array, yours until the task returns.
// A call may return before the device is done; it must leave no work on streams of its own.
