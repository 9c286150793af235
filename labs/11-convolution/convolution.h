// Lab 11, convolution: the contract. Every pixel of the result is a weighted sum of its neighbours:
//
//     out(x, y) = sum over -radius <= i, j <= radius of  weight(i, j) * in(x - i, y - j)
//
// Mind the two minus signs: with plus signs it would be a correlation.
#pragma once

#include "toolbox/basics.h"  // todo(), CUDA_CHECK, ceil_div, Workspace

constexpr int kMaxRadius = 15;                // filters from 1 x 1 to 31 x 31
constexpr int kMaxSize = 2 * kMaxRadius + 1;  // weights in a row of the largest one
constexpr int kMaxSide = 1 << 18;             // pixels in a row or column

// What lies outside the image.
enum class Border {
    zero,   // 0
    clamp,  // the nearest pixel of the image
    wrap,   // the image again, as often as needed: in(x, y) = in(x mod width, y mod height)
};

// Task 1: a thread for each pixel.
void naive(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius, Border border,
           Workspace& work);

// Task 2: as 1, with the filter in constant memory.
void constant_memory(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace& work);

// Task 3: as 2, with a tile of the image and its halo in shared memory.
void shared_tile(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                 Border border, Workspace& work);

// Task 4: a filter that is the product of a column and a row, in two passes.
void separable(const float* d_in, float* d_out, int width, int height, const float* d_row, const float* d_column,
               int radius, Border border, Workspace& work);

// Task 5: any filter again; each thread slides a window of sums down its column, in registers.
void register_window(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace& work);

// What you may rely on, and what is expected of you:
//
//   d_in        width * height floats of device memory, row by row: in(x, y) = d_in[y * width + x]. 256-byte aligned.
//               Read only: the grader checks this. All are finite.
//   d_out       the same for the result. It holds garbage at first and never overlaps d_in. Write every element, and
//               nothing beyond.
//   width,      0 <= width, height <= kMaxSide, and width * height <= 2^28, so an int can count the pixels. If one of
//   height      them is 0, nothing is written. A launch of 0 blocks is an error, and so is one of more than 65,535
//               blocks in y: enough for kMaxSide rows if a block has 8 rows or more.
//   d_filter    tasks 1, 2, 3 and 5: the weights, row by row from the top left. All are finite. Read only.
//               weight(i, j) = d_filter[(j + radius) * (2 * radius + 1) + i + radius]
//   d_row,      task 4: 2 * radius + 1 weights each.
//   d_column    weight(i, j) = d_column[j + radius] * d_row[i + radius]
//   radius      0 <= radius <= kMaxRadius. The filter may be larger than the image.
//   border      what in(x, y) is outside the image: see above.
//   work        temporary device memory: work.get<float>(count). It was allocated before the clock started and holds
//               garbage.
//   return      A call may return before the device is done. It must leave no work on streams of its own.
//
// Sums may be added in any order. A result must differ from the true one by at most
//     gamma(d) * (sum over all i, j of |weight(i, j)| |in(x - i, y - j)|),   gamma(d) = d u / (1 - d u),   u = 2^-24.
// d is how many roundings a product can pass through, its own and one for each addition that follows: (2 radius + 1)^2
// in tasks 1, 2, 3 and 5, and 2 (2 radius + 1) in task 4. Any order of additions stays within that bound; a sum that
// lacks a product does not.
