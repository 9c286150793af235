// Lab 1, square: the contract. Every task computes out[i] = in[i] * in[i] for 0 <= i < n.
#pragma once

#include <cstdint>  // std::uintptr_t

#include "toolbox/basics.h"  // todo(), CUDA_CHECK, ceil_div

// Task 1: from host memory to host memory, with one block.
void one_block(const float* h_in, float* h_out, int n);

// Tasks 2 and 3: from device memory to device memory.
void grid(const float* d_in, float* d_out, int n);
void grid_stride(const float* d_in, float* d_out, int n);

// Task 4: as 2 and 3, but the arrays need not start at a 16-byte boundary.
void vectorized(const float* d_in, float* d_out, int n);

// What you may rely on, and what is expected of you:
//
//   n          0 <= n <= 2^26. For n = 0 nothing is written. A launch of 0 blocks is an error.
//   h_*        n floats of host memory. The device cannot read them: allocate, copy, launch, copy back, free.
//   d_*        n floats of device memory. The host cannot read them.
//   inputs     are read only. The grader checks this.
//   outputs    hold garbage at first.
//   values     In each input any float may occur. A product is rounded once, as `in[i] * in[i]` is in C++. So NaN gives
//              NaN, an infinity gives +infinity, and denormal numbers are not flushed to 0.
//   alignment  In task 4, d_in and d_out lie equally far past a 16-byte boundary: 0, 4, 8 or 12 bytes.
//   return     A task that gets device memory may return before the device is done. It must leave no work on streams of
//              its own.
//   memory     2 GB each on host and device (lab.toml), which is enough at n = 2^26.
