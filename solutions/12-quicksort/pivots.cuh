// What the tasks share: offsets that no input can foresee, and the sort of small ranges in shared memory.
#pragma once

#include "quicksort.h"

// Mixes the bits of a number: a bijection in which every output bit depends on every input bit.
__device__ inline unsigned scramble(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// Number k of a pseudo-random sequence of a range: an offset into it, 0 to count - 1. As pivots, such keys serve
// sorted, reversed and organ-pipe inputs as well as random ones. The sequence depends on `first` and on `count`: a side
// shares one end with its range, and would otherwise inherit a sequence that divides it badly, again and again.
__device__ inline int random_offset(int first, int count, int k) {
    unsigned of_range = scramble(scramble(first) + count);
    return static_cast<int>(__umulhi(scramble(of_range + 0x9e3779b9u * k), count));
}

__device__ inline int median(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }

// Sorts s_keys[0], ..., s_keys[count - 1] in shared memory; called by all kThreads threads of a block. This is lab 8's
// bitonic network in the form in which the lesser of two keys always goes to the lower place: the first step of a merge
// compares mirrored places, the later ones compare keys that are `stride` apart. Empty places from `count` on count as
// greater than all keys. They would never move, so comparators that reach them are left out.
template <int kThreads, class T>
__device__ void sort_shared(T* s_keys, int count) {
    int pairs = 1;
    while (2 * pairs < count) pairs *= 2;
    for (int size = 2; size <= 2 * pairs; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            for (int pair = threadIdx.x; pair < pairs; pair += kThreads) {
                int low = 2 * pair - (pair & (stride - 1));
                int high = stride == size / 2 ? low ^ (size - 1) : low + stride;
                if (high >= count) continue;
                T a = s_keys[low], b = s_keys[high];
                if (b < a) {
                    s_keys[low] = b;
                    s_keys[high] = a;
                }
            }
        }
    }
    __syncthreads();
}
