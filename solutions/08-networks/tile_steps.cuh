// Shared by tasks 3 and 4: the steps of a bitonic network within a tile in shared memory.
#pragma once

#include "runs.cuh"

constexpr int kPairs = kTile / 2;

// The lower place of pair t, whose places are `stride` apart, a power of two: t with a 0 inserted at the stride's bit.
__device__ inline int lower_place(int t, int stride) { return 2 * t - (t & (stride - 1)); }

// Load and store a tile whose first element has the index `first`. Places from n on get Order::last().
template <class Order, class T>
__device__ void load_tile(T* s_tile, const T* d_in, int first, int n) {
    for (int k = threadIdx.x; k < kTile; k += kPairs) s_tile[k] = first + k < n ? d_in[first + k] : Order::last();
}

template <class T>
__device__ void store_tile(const T* s_tile, T* d_out, int first, int n) {
    __syncthreads();
    for (int k = threadIdx.x; k < kTile; k += kPairs) {
        if (first + k < n) d_out[first + k] = s_tile[k];
    }
}

// All steps with strides from `stride` down to 1: sorts bitonic runs. A barrier comes before each step. `first` is the
// place of the tile's first element, counted as in `runs`.
template <class Order, class T>
__device__ void merge_in_tile(T* s_tile, int first, Runs runs, int stride) {
    for (; stride > 0; stride /= 2) {
        __syncthreads();
        int low = lower_place(threadIdx.x, stride);
        compare_exchange<Order>(s_tile[low], s_tile[low + stride], runs.descend_at(first + low));
    }
}

// Sorts runs of two, of four, ... up to the whole tile.
template <class Order, class T>
__device__ void sort_in_tile(T* s_tile, int first, int last) {
    for (int size = 2; size <= kTile; size *= 2) merge_in_tile<Order>(s_tile, first, Runs{size, last}, size / 2);
}
