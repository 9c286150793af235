// A tree in registers: the reduction of a warp, and of a block of kBlock threads.
#pragma once

#include "toolbox/shuffle.h"

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

// All 32 lanes take part. Lane 0 gets the result; what the others get means nothing.
template <class Op, class T = typename Op::type>
__device__ T reduce_warp(T value) {
    for (int half = 16; half > 0; half /= 2) value = Op()(value, __shfl_down_sync(kAllLanes, value, half));
    return value;
}

// All kBlock threads take part. Thread 0 gets the result; what the others get means nothing.
template <class Op, class T = typename Op::type>
__device__ T reduce_block(T value) {
    __shared__ T s_of_warp[kWarps];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = reduce_warp<Op>(value);
    if (lane == 0) s_of_warp[warp] = value;
    __syncthreads();
    if (warp > 0) return value;
    return reduce_warp<Op>(lane < kWarps ? s_of_warp[lane] : Op::identity());
}
