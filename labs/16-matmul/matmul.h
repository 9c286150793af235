// Lab 16, matrix multiplication: the contract. What each task takes, returns, and may rely on.
//
// C = A B. A has rows x inner elements, B has inner x columns, C has rows x columns, and
//     C(r, c) = A(r, 0) B(0, c) + A(r, 1) B(1, c) + ... + A(r, inner - 1) B(inner - 1, c)
//         1 2      5 6 7      21 24 27      21 = 1 * 5 + 2 * 8
//         3 4      8 9 10     47 54 61
#pragma once

#include <cuda_fp16.h>  // half, __half2float()

#include "toolbox/basics.h"  // todo(), CUDA_CHECK, ceil_div, Workspace

// How a matrix lies in memory. By rows, neighbours in a row are neighbours: the element in row r and column c of C is
// d_c[r * columns + c]. By columns, neighbours in a column are: d_a[k * rows + r] is that of A in row r and column k.
enum class Order { rows, columns };

// Task 1: a thread for each element of C.
void naive(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner);

// Task 2: as 1, but a block takes tiles of A and B through shared memory.
void tile(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner);

// Task 3: as 2, with 8 x 8 elements of C in the registers of each thread.
void register_tile(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner);

// Task 4: as 3, with loads of 16 bytes where the matrix allows them, and the next tile on its way during the sums.
void vectorized(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner);

// Task 5: as 4 for small C and large inner: no multiprocessor without a block, and a bound on a thread's registers.
void occupancy(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner, Workspace& work);

// Task 6: A and B are halves and lie in either order. Products and sums are floats.
void mixed(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a, Order b);

// Task 7: as 6, on tensor cores.
void tensor_cores(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a, Order b);

// In every task
//   d_a, d_b, d_c  device memory, 256-byte aligned, without gaps between rows. d_c is by rows, and so are d_a and d_b
//                  in tasks 1 to 5. d_a and d_b are read only: the grader checks this. d_c holds garbage at first;
//                  write every element, and nothing beyond.
//   sizes          0 <= rows, columns, inner <= kMaxSide, and no matrix has more than 2^26 elements: an int can count
//                  them. If C has no elements, do not launch: a launch of 0 blocks is an error. If inner is 0, each
//                  sum has no terms, and C is 0.
//   rounding       a product may be rounded, and each addition: a sum of inner products differs from the true one by at
//                  most g = inner u / (1 - inner u), u = 2^-24, times the sum of their magnitudes; on tensor cores, by
//                  four times as much. Sums in float stay within that in any order. The order must be the same in
//                  every run, so that the bits are. Inputs are below 2^7 in magnitude: nothing overflows.
//   work           temporary device memory: work.get<float>(count). It was allocated before the clock started, and
//                  holds garbage.
// A call may return before the device is done; it must leave no work on streams of its own.

constexpr int kMaxSide = 65'535;
