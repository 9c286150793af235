// Scans and sums for the labs that build on them: lab 4 does not require a finished lab 3. A lab's lab.toml says
// whether it may use them.
//
// All work on device memory, for 0 <= n <= 2^30. A call may return before the device is done, and throws CudaError if
// a launch fails. Temporary memory comes from the Workspace: about n / 1000 elements for each call, little enough for
// a loop. Pointers need only the alignment of their type.
// An output may be the input itself only where the comment says so; otherwise they must not overlap.
// Integer sums wrap around. Float sums are rounded, but give the same bits from run to run.
#pragma once

#include "toolbox/basics.h"

namespace primitives {

// d_out[i] = d_in[0] + ... + d_in[i - 1] for i = 0, ..., n: that is n + 1 outputs. So counts become offsets: the
// items of i are at d_out[i], ..., d_out[i + 1] - 1, and d_out[n] is the total. d_out may be d_in if it has room.
void exclusive_sum(const int* d_in, int* d_out, int n, Workspace& work);

// d_out[i] = d_in[0] + ... + d_in[i] for i = 0, ..., n - 1. d_out may be d_in. For int and float.
template <class T>
void inclusive_sum(const T* d_in, T* d_out, int n, Workspace& work);

// The same, but the sum starts afresh at each i where d_heads[i] is not 0. So the last element of a segment has the
// segment's total. d_out may be d_in. For int, float and double.
template <class T>
void segmented_inclusive_sum(const T* d_in, const int* d_heads, T* d_out, int n, Workspace& work);

// *d_out = d_in[0] + ... + d_in[n - 1], 0 for n = 0. For int, float and double.
template <class T>
void sum(const T* d_in, T* d_out, int n, Workspace& work);

}  // namespace primitives
