// The filter in constant memory, where all lanes of a warp read the same word at once.
#pragma once

#include "convolution.h"

// static: each rung has a filter of its own, and a function that sets this one.
static __constant__ float c_filter[kMaxSize * kMaxSize];

// From device memory to device memory, in stream order: the host does not wait, and the kernels of earlier calls have
// read their filter by then.
static void set_filter(const float* d_filter, int radius) {
    std::size_t count = (2 * radius + 1) * (2 * radius + 1);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_filter, d_filter, count * sizeof(float), 0, cudaMemcpyDeviceToDevice));
}
