// Lab 1, square: the contract. What each task takes, gives, and may rely on.
//
// Every task writes out[i] = in[i] * in[i] for 0 <= i < n, rounded once, as `in[i] * in[i]` in C++ does. Elements may
// be anything that a float can be: NaN gives NaN, an infinity gives +infinity, and denormal numbers count.
//
//   n       0 <= n <= 2^26: input and output, and the runner's copies of both, then fit into the 2 GB each for host and
//           device of lab.toml's limits. Nothing is written for n = 0; a launch of 0 blocks is an error.
//   h_*     n floats of host memory. The device cannot read it: allocate, copy, launch, copy back, free.
//   d_*     n floats of device memory. The host cannot read it. d_out is full of garbage at first.
//   inputs  are read only: they are compared after the call.
// Where a task takes device memory it may return before the device is done, but must leave no work on streams of its
// own.
#pragma once

#include "toolbox/basics.h"  // todo(), CUDA_CHECK, ceil_div

// Task 1: host memory in, host memory out, one block.
void one_block(const float* h_in, float* h_out, int n);

// Tasks 2 and 3.
void grid(const float* d_in, float* d_out, int n);
void grid_stride(const float* d_in, float* d_out, int n);

// Task 4: d_in and d_out need not be 16-byte aligned; both lie equally far behind a 16-byte boundary: 0, 4, 8 or 12
// bytes.
void vectorized(const float* d_in, float* d_out, int n);
