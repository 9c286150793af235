// The bin of a value between given edges, for the tasks that take all kinds of bins.
#pragma once

#include "histogram.h"

// Binary search: each step halves the range of edges that may enclose the value, log2(count) steps.
template <class T>
__device__ int find_bin(const T* d_edges, int count, T value) {
    if (!(value >= d_edges[0] && value < d_edges[count])) return count;  // NaN too
    int low = 0, high = count;                                           // d_edges[low] <= value < d_edges[high]
    while (high - low > 1) {
        int middle = (low + high) / 2;
        (value < d_edges[middle] ? high : low) = middle;
    }
    return low;
}
