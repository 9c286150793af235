// Shared by look_back and its record: what a tile publishes, and a sum over the lanes of a warp.
#pragma once

#include "compact.h"
#include "toolbox/shuffle.h"

// A tile publishes status and count in one word, so that they arrive together. aggregate: the count is of the tile's
// kept elements. inclusive_prefix: of those of the tile and all tiles before it. An empty state is a word of 0.
enum class Status : unsigned { empty, aggregate, inclusive_prefix };

__device__ inline void publish(unsigned long long* d_state, Status status, int count) {
    store_relaxed(d_state, static_cast<unsigned long long>(status) << 32 | static_cast<unsigned>(count));
}

__device__ inline int sum_of_lanes(int value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(kAllLanes, value, distance);
    return value;
}
