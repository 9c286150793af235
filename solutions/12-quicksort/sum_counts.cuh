// For the record of task 4: a block sums the counts of its buckets.
#pragma once

#include "quicksort.h"
#include "toolbox/block.h"

constexpr int kMostCounts = 32 * 32;

// Sums s_counts[0], ..., s_counts[count - 1] exclusively into s_sums, at most kMostCounts of them. Called by all
// threads of a block: a warp sums groups of 32 numbers, and then adds the totals of the groups before.
template <int kThreads>
__device__ void sum_counts(const int* s_counts, int* s_sums, int count) {
    __shared__ int s_totals[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int group = warp; group < 32; group += kThreads / 32) {
        int b = 32 * group + lane, own = b < count ? s_counts[b] : 0, sum = inclusive_sum_of_warp(own);
        if (b < count) s_sums[b] = sum - own;
        if (lane == 31) s_totals[group] = sum;
    }
    __syncthreads();
    int totals = inclusive_sum_of_warp(s_totals[lane]);
    for (int group = warp; group < 32; group += kThreads / 32) {
        int b = 32 * group + lane, before = group > 0 ? __shfl_sync(kAllLanes, totals, group - 1) : 0;
        if (b < count) s_sums[b] += before;
    }
    __syncthreads();
}
