// Lab 2, reduce: the contract. A reduction turns n values into one: their sum, the largest, or the smallest.
#pragma once

#include "toolbox/basics.h"  // todo(), CUDA_CHECK, ceil_div, Workspace, Sum, Max, Min

// Tasks 1 to 3: the sum of n int.
void global_memory(const int* d_in, long long* d_sum, int n, Workspace& work);
void interleaved(const int* d_in, long long* d_sum, int n, Workspace& work);
void sequential(const int* d_in, long long* d_sum, int n, Workspace& work);

// Tasks 4 to 6: any operator. Op()(a, b) is associative and commutative, and Op::identity() changes nothing. Elements
// have type T and convert to Result, the type of intermediate results and of the final one.
// Graded: Sum, Max and Min of int and float, as listed in grading/instantiations.h.
template <class Op, class T, class Result = typename Op::type>
void grid_stride(const T* d_in, Result* d_result, int n, Workspace& work);
template <class Op, class T, class Result = typename Op::type>
void warp_shuffle(const T* d_in, Result* d_result, int n, Workspace& work);
template <class Op, class T, class Result = typename Op::type>
void vectorized(const T* d_in, Result* d_result, int n, Workspace& work);

// What you may rely on, and what is expected of you:
//
//   n         0 <= n <= 2^26. A launch of 0 blocks is an error.
//   d_in      n elements of device memory. Read only: the grader checks this. There are no NaNs.
//             d_in is 256-byte aligned; in task 6 it may be aligned to one element only, that is, to 4 bytes.
//   d_sum,    one element of device memory, which holds garbage at first. It must be written, for n = 0 as well: a sum
//   d_result  of nothing is 0, and a maximum or minimum of nothing is Op::identity().
//   work      temporary device memory: work.get<int>(count). It was allocated before the clock started and holds
//             garbage. Each get() returns another array, which is yours until the task returns.
//   return    A call may return before the device is done. It must leave no work on streams of its own.
//
// Sums of int are exact. Sums of float may be added in any order, but the same input must give the same bits in every
// call.
//   - No element may pass through more than k = 32 + n / 4096 additions. So a sum must lie within
//     gamma(k) * (|x[0]| + ... + |x[n-1]|) of the true one, where gamma(k) = k u / (1 - k u) and u = 2^-24.
//   - If a float can hold every partial sum exactly, in any order of adding, the result must be exact.
