// Shared by the rungs: places that no input can foresee, and what is sorted without a partition.
#pragma once

#include "quicksort.h"

// Well mixed bits of a number: a bijection in which every output bit depends on every input bit.
__device__ inline unsigned scramble(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// The k-th of some places from 0 to count - 1 of the range that begins at `first`. Whoever makes an input does not know
// which keys become pivots: sorted, reversed or an organ pipe, it is as good as random.
__device__ inline int some_place(int first, int count, int k) {
    return static_cast<int>(__umulhi(scramble(scramble(first) + 0x9e3779b9u * k), count));
}

__device__ inline int median(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }

// Sorts s_keys[0], ..., s_keys[count - 1] in shared memory, called by all kThreads threads of a block: lab 8's bitonic
// network, turned so that the lesser of two keys always goes to the lower place. Each step of a merge but the first one
// compares keys that are `stride` apart; the first one compares mirrored places. So places from `count` on, which hold
// nothing, are greater than all that is there and never move: a comparator that reaches them is left out.
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
