// How many blocks a grid-stride loop is launched with.
#pragma once

#include <algorithm>

#include "square.h"

constexpr int kBlock = 256;
constexpr int kBlocksPerSm = 8;  // 2048 threads: what an SM of a large GPU holds

// As many blocks as fill the device, but no more than `count` elements can occupy; at least one.
inline int blocks_for(int count) {
    int sms = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    return std::min(std::max(ceil_div(count, kBlock), 1), sms * kBlocksPerSm);
}
