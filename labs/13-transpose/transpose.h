// Lab 13, transpose: the contract. What each task takes, returns, and may rely on.
//
// A matrix lies in memory row by row: the element in row r and column c of rows x columns elements is
// d_in[r * columns + c]. Its transpose has columns x rows elements, with out(c, r) = in(r, c):
//     in  1 2 3      out  1 4
//         4 5 6           2 5
//                         3 6
#pragma once

#include "toolbox/basics.h"   // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/shuffle.h"  // kAllLanes, the mask of a whole warp, for task 7

constexpr int kMaxSide = 65'535;  // rows, and columns: so many blocks a grid may have in y

// Task 1: a thread for each element of a square matrix of side x side floats.
void naive(const float* d_in, float* d_out, int side);

// Task 2: as 1, but a block turns a tile round in shared memory, so that both loads and stores are coalesced.
void tile(const float* d_in, float* d_out, int side);

// Task 3: as 2, with an unused column in the tile, so that no two lanes need the same bank.
void padded(const float* d_in, float* d_out, int side);

// Task 4: as 3, without the unused column: each element has another place in its row of the tile.
void swizzled(const float* d_in, float* d_out, int side);

// Task 5: rows x columns elements of any type. d_out may be d_in if rows == columns: the matrix is transposed in place.
template <class T>
void rectangular(const T* d_in, T* d_out, int rows, int columns);

// Task 6: n structures of kWords words, and the same words as kWords arrays of n. From structures to arrays
// d_out[w * n + i] = d_in[i * kWords + w]; otherwise the way back, d_out[i * kWords + w] = d_in[w * n + i].
template <int kWords>
void layouts(const unsigned* d_in, unsigned* d_out, int n, bool to_arrays);

// Task 7: out(r, c) = the sum of all in(i, j) with i <= r and j <= c, modulo 2^32.
void summed_area(const unsigned char* d_in, unsigned* d_out, int rows, int columns, Workspace& work);

// In every task
//   d_in, d_out  device memory, 256-byte aligned. d_in is read only: the grader checks this. d_out holds garbage at
//                first; write every element, and nothing beyond. They do not overlap, but for task 5 in place.
//   sides        0 <= side, rows, columns <= kMaxSide, and at most 2^26 elements: an int can count them.
//                If there are no elements, do not launch: a launch of 0 blocks is an error.
//   n            task 6: 0 <= n <= 2^22.
//   values       are copied bit by bit in tasks 1 to 6: -0, infinities and NaN stay what they are.
//   work         temporary device memory: work.get<unsigned>(count). It was allocated before the clock started, and
//                holds garbage.
// A call may return before the device is done; it must leave no work on streams of its own.
// What is graded: grading/instantiations.h.
