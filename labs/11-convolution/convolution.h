// Lab 11, convolution: the contract. What each task takes, gives, and may rely on.
//
// A filter of (2 radius + 1) x (2 radius + 1) weights goes over an image, and every pixel becomes the weighted sum of
// its neighbours. With i and j counted from the filter's centre, -radius <= i, j <= radius:
//
//     out(x, y) = sum over all i, j of  weight(i, j) * in(x - i, y - j)
//
// Mind the two minus signs: the filter is turned by half a turn before it is laid over the image, so that a single
// bright pixel becomes a picture of the filter. That is a convolution; with plus signs it would be a correlation, which
// is the same only for filters that half a turn does not change.
//
// In every task
//   d_in        width * height floats of device memory, 256-byte aligned, row by row: in(x, y) = d_in[y * width + x].
//               All are finite. Read only: the array is compared after the call.
//   d_out       as many floats for the result, 256-byte aligned, full of garbage. Never overlaps d_in. Every element
//   has
//               to be written, none beyond.
//   width, height   0 <= width, height <= kMaxSide and width * height <= 2^28, so that an int counts the pixels. Either
//               may be 0: then nothing is written, and a launch of 0 blocks is an error. A grid has up to 65,535 blocks
//               in y: enough for kMaxSide rows if a block has 8 of them or more.
//   d_filter    tasks 1, 2, 3 and 5: the weights, row by row from the top left:
//               weight(i, j) = d_filter[(j + radius) * (2 * radius + 1) + i + radius]. Finite; read only.
//   d_row, d_column   task 4: 2 * radius + 1 weights each: weight(i, j) = d_column[j + radius] * d_row[i + radius].
//   radius      0 <= radius <= kMaxRadius; may be larger than the image.
//   border      what in(x, y) is outside the image, see below.
//   work        temporary device memory, allocated before the clock starts, full of garbage: work.get<float>(count).
// A call may return before the device is done; it must leave no work on streams of its own.
//
// Sums may round in another order than the reference. With u = 2^-24 and gamma(d) = d u / (1 - d u), a result must lie
// within gamma(d) * (sum over all i, j of |weight(i, j)| |in(x - i, y - j)|) of the true one. d is the most roundings
// that a product can pass through: (2 radius + 1)^2 in tasks 1, 2, 3 and 5, one of its own and one for each addition
// that follows; 2 (2 radius + 1) in task 4. Any order of float additions keeps to that; a product left out does not.
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
