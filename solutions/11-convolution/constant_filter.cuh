// The filter in constant memory, where all lanes of a warp read the same word at once.
#pragma once

#include "convolution.h"

// static: each task that includes this file has its own filter and its own set_filter().
static __constant__ float c_filter[kMaxSize * kMaxSize];

// Copies from device memory to device memory, in stream order: the host does not wait, and the copy begins only when
// the kernels of earlier calls have ended.
static void set_filter(const float* d_filter, int radius) {
    std::size_t count = (2 * radius + 1) * (2 * radius + 1);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_filter, d_filter, count * sizeof(float), 0, cudaMemcpyDeviceToDevice));
}
