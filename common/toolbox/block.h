// Sums over the lanes of a warp and the threads of a block, for labs that are not about sums: lab.toml says which.
#pragma once

#ifdef __CUDACC__

#include "toolbox/shuffle.h"

// The sum of this lane's value and those of the lanes before it. All 32 lanes of the warp must call it together.
__device__ inline int inclusive_sum_of_warp(int value) {
    int lane = threadIdx.x % 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(kAllLanes, value, distance);
        if (lane >= distance) value += left;
    }
    return value;
}

// The sum of the values of all earlier threads. All kThreads threads of the block must call it together. Shared memory:
// a word for each warp.
template <int kThreads>
__device__ int exclusive_sum_of_block(int value) {
    __shared__ int s_sums[kThreads / 32];
    int warp = threadIdx.x / 32, sum = inclusive_sum_of_warp(value);
    __syncthreads();  // everybody has read what a call before this one left
    if (threadIdx.x % 32 == 31) s_sums[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; ++w) sum += s_sums[w];
    return sum - value;
}

#endif
