// Lab 2, reduce: the contract. What each task takes, gives, and may rely on.
//
// A reduction makes one value of n: their sum, the largest, the smallest.
//
// In every task
//   d_in      n elements of device memory, 256-byte aligned; in task 6 perhaps not: aligned to one element (4 bytes).
//             Read only: it is compared after the call.
//   d_sum,    one element of device memory, full of garbage. It has to be written, for n = 0 as well: a sum of nothing
//   d_result  is 0, a maximum of nothing is what every other maximum replaces, Op::identity().
//   n         0 <= n <= 2^26: d_in and as many long long twice over fit into the 2 GB of lab.toml's device_mb. A launch
//             of 0 blocks is an error.
//   work      temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count). Each
//             get() gives another array, yours until the task returns.
// A call may return before the device is done; it must leave no work on streams of its own.
//
// Sums of int32 are exact, so they are int64 (long long): 2^26 numbers of 32 bits have at most 58.
// Sums of float may be added in any order, but always in the same one: the same input gives the same bits, call for
// call. A sum must lie within gamma(32 + n / 4096) * (|x[0]| + ... + |x[n-1]|) of the true one, where gamma(k) =
// k u / (1 - k u) and u = 2^-24: no element may pass through more than 32 + n / 4096 additions. Where no order of
// adding can round, because every partial sum is a float, the sum must be exact.
// There are no NaNs in d_in.
#pragma once

#include "toolbox/basics.h"  // todo(), CUDA_CHECK, ceil_div, Workspace, Sum, Max, Min

// Tasks 1 to 3: the sum of n int32.
void global_memory(const int* d_in, long long* d_sum, int n, Workspace& work);
void interleaved(const int* d_in, long long* d_sum, int n, Workspace& work);
void sequential(const int* d_in, long long* d_sum, int n, Workspace& work);

// Tasks 4 to 6: any Op that is associative and commutative and has an identity: Op()(a, b), Op::identity().
// Elements are of type T, intermediate results and the final one of type Op::type, to which a T converts.
// Graded as named at the end of reduce.cu: Sum, Max and Min of int and float.
template <class Op, class T>
void grid_stride(const T* d_in, typename Op::type* d_result, int n, Workspace& work);
template <class Op, class T>
void warp_shuffle(const T* d_in, typename Op::type* d_result, int n, Workspace& work);
template <class Op, class T>
void vectorized(const T* d_in, typename Op::type* d_result, int n, Workspace& work);
