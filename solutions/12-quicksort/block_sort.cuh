// For the record of task 4: a block sorts up to kThreads * kItems keys, by a network in registers and then by merging.
#pragma once

#include "quicksort.h"

// A thread's items in ascending order: Batcher's merge exchange (Knuth, The Art of Computer Programming, 5.2.2,
// algorithm M), for any kItems. Items from `count` on are empty. The lesser key always goes to the lower place, so
// comparators that reach an empty item are left out.
template <int kItems, class T>
__device__ void sort_own(T (&item)[kItems], int count) {
    constexpr int kTop = kItems > 16 ? 32 : kItems > 8 ? 16 : 8;  // a power of two, at least kItems / 2
    static_assert(kItems <= 2 * kTop);
#pragma unroll
    for (int p = kTop; p > 0; p /= 2) {
#pragma unroll
        for (int q = 2 * kTop; q > p; q /= 2) {
            int apart = q == 2 * kTop ? p : q - p;
            int from = q == 2 * kTop ? 0 : p;
#pragma unroll
            for (int i = 0; i < kItems; ++i) {
                int j = i + apart;
                if ((i & p) != from || j >= kItems) continue;
                T a = item[i], b = item[j];
                bool swap = j < count && b < a;
                item[i] = swap ? b : a;
                item[j] = swap ? a : b;
            }
        }
    }
}

// How many of the first `diagonal` keys of the merged runs come from run a: s_keys[a], ..., s_keys[b - 1]; run b
// follows and ends before `end`.
template <class T>
__device__ int merge_path(const T* s_keys, int a, int b, int end, int diagonal) {
    int low = max(0, diagonal - (end - b)), high = min(diagonal, b - a);
    while (low < high) {
        int middle = (low + high) / 2;
        if (s_keys[b + diagonal - 1 - middle] < s_keys[a + middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// Sorts s_keys[0], ..., s_keys[count - 1]. Called by all threads of a block; begins and ends with a barrier. If count
// allows, a thread takes about half as many items, so that more threads have work.
template <int kThreads, int kItems, class T>
__device__ void sort_block(T* s_keys, int count) {
    static_assert(kItems % 2 == 1);  // then a warp's threads, kItems places apart, use different banks
    constexpr int kHalf = kItems / 4 * 2 + 1;
    if constexpr (kItems > 5) {
        if (count <= kThreads * kHalf) return sort_block<kThreads, kHalf>(s_keys, count);
    }
    int first = threadIdx.x * kItems, own = min(kItems, count - first);
    T item[kItems];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        if (i < own) item[i] = s_keys[first + i];
    }
    if (own > 0) sort_own(item, own);
    for (int threads = 1;; threads *= 2) {  // that merge a run
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kItems; ++i) {
            if (i < own) s_keys[first + i] = item[i];
        }
        __syncthreads();
        if (threads * kItems >= count) break;
        if (own <= 0) continue;
        int run = threadIdx.x / (2 * threads) * (2 * threads) * kItems;  // where the two runs begin
        int middle = min(run + threads * kItems, count), end = min(middle + threads * kItems, count);
        int a = run + merge_path(s_keys, run, middle, end, first - run);
        int b = middle + first - a;
        T key_a, key_b;
        if (a < middle) key_a = s_keys[a];
        if (b < end) key_b = s_keys[b];
#pragma unroll
        for (int i = 0; i < kItems; ++i) {
            bool from_b = a >= middle || (b < end && key_b < key_a);
            item[i] = from_b ? key_b : key_a;
            if (from_b) {
                if (++b < end) key_b = s_keys[b];
            } else {
                if (++a < middle) key_a = s_keys[a];
            }
        }
    }
}
