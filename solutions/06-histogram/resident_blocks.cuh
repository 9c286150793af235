// The launch of the tasks that count in shared memory.
#pragma once

#include <algorithm>

#include "histogram.h"

constexpr int kSharedBlock = 1024;

// As many blocks as the GPU holds at once, but no more than have 16 values for each thread.
template <class Kernel>
int resident_blocks(Kernel* kernel, int n, std::size_t shared_bytes) {
    int each = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, kSharedBlock, shared_bytes));
    return std::clamp(ceil_div(n, kSharedBlock * 16), 1, each * multiprocessors());
}
