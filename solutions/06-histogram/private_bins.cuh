// Bins of a thread's own, for the tasks that count in them.
#pragma once

#include <algorithm>

#include "histogram.h"

constexpr int kPrivateBlock = 128;
constexpr int kPrivate = kMostPrivateBins + 32;  // room for the counter of values outside, and a multiple of 32

// Counting has to outweigh clearing and adding up: at least one value for each bin of a thread. And the bins of all
// threads of a multiprocessor, 1 KiB each, should stay in its L1 cache: at most 2 blocks.
template <class Bins>
int private_blocks(int n, const Bins& bins) {
    return std::clamp(n / (kPrivateBlock * bins.count), 1, 2 * multiprocessors());
}

// Counts this thread's share of the values in its own bins.
template <class T, class Bins>
__device__ void count_own(const T* d_in, int n, const Bins& bins, unsigned (&own)[kPrivate]) {
    for (int b = 0; b < kPrivate; ++b) own[b] = 0;
    for_each_value(d_in, n, [&](auto value) { ++own[bins(value)]; });
}
