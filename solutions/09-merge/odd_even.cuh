// Shared by merge_sort and its record: the sort of a thread's own elements.
#pragma once

#include "merge.h"

// kItems phases of comparators between neighbours. Equal neighbours do not change places, and no comparator reaches
// further, so equal elements cannot pass each other. In a bitonic network they could.
template <class Order, int kItems, class T>
__device__ void sort_in_registers(T (&item)[kItems]) {
#pragma unroll
    for (int phase = 0; phase < kItems; ++phase) {
#pragma unroll
        for (int k = phase % 2; k + 1 < kItems; k += 2) {
            T low = item[k], high = item[k + 1];
            bool swap = Order().before(high, low);
            item[k] = swap ? high : low;
            item[k + 1] = swap ? low : high;
        }
    }
}
