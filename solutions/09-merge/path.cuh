// Shared by tasks 4 and 5: the merge path, and merging along it.
// Draw a's elements down and b's to the right. Taking an element of a is a step down, taking one of b a step to the
// right. The merge is a path from corner to corner. It crosses each diagonal once, and binary search finds where; on
// diagonal d, d elements have been taken. So the path can be cut into pieces of equal length.
// (Odeh, Green, Mwassi, Shmueli and Birk, "Merge path - parallel merging made simple", 2012; Green, McColl and Bader,
// "GPU merge path: a GPU merging algorithm", 2012.)
#pragma once

#include "merge.h"

// An array whose elements lie in memory from its last to its first.
template <class T>
struct Backwards {
    const T* first;
    __device__ T operator[](int k) const { return first[-k]; }
};

// Of the first `diagonal` elements of the merged order, how many are a's? 0 <= diagonal <= na + nb. As long as it can,
// the search looks only at every kGrid-th element of a. If many threads search on diagonals that are kGrid apart, they
// look at the same few elements, which stay in the cache.
template <class Order, int kGrid = 1, class T, class B>
__device__ int count_of_a(const T* a, int na, B b, int nb, int diagonal) {
    int low = max(0, diagonal - nb), high = min(diagonal, na);  // b has only nb, and a only na
    while (low < high) {
        int i = (low + high) / 2;
        if (kGrid > 1 && high - low >= 2 * kGrid) i -= i % kGrid;
        if (Order().before(b[diagonal - 1 - i], a[i]))  // a[i] comes too late; if they are equal, it does not
            high = i;
        else
            low = i + 1;
    }
    return low;
}

// Merges s[0..na) and s[na..n), which lies backwards, from the diagonal on, until it has kItems elements. What follows
// the end of either is the other's greatest element, so no read needs a check. If both end earlier, the rest is not
// used, but s[n] and up to kItems elements before s[0] may be read.
template <class Order, int kItems, class T>
__device__ void merge_along_path(const T* s, int na, int n, int diagonal, T (&item)[kItems]) {
    int i = count_of_a<Order>(s, na, Backwards<T>{s + n - 1}, n - na, diagonal);
    const T *at_a = s + i, *at_b = s + n - 1 - (diagonal - i), *end_of_a = s + na;
    T a = *at_a, b = *at_b;
#pragma unroll  // an array lies in registers only if every index is known
    for (int k = 0; k < kItems; ++k) {
        bool from_b = Order().before(b, a) || at_a >= end_of_a;  // past a's end, `a` is an element of b
        item[k] = from_b ? b : a;
        if (k + 1 == kItems) break;
        at_a = from_b ? at_a : at_a + 1;
        at_b = from_b ? at_b - 1 : at_b;
        const T* next = from_b ? at_b : at_a;  // not a load for each case: a warp would execute both
        T fetched = *next;
        a = from_b ? a : fetched;
        b = from_b ? fetched : b;
    }
}

// Each thread merges kItems elements of its own; through shared memory, neighbouring threads still load and store
// neighbouring elements. All threads of the block call the following.

// Fills the tile with at(0), at(1), ... A thread issues all of its loads before it needs the first.
template <int kThreads, int kItems, class T, class At>
__device__ void load(T* s_tile, At at) {
    T item[kItems];
    for (int r = 0; r < kItems; ++r) item[r] = at(r * kThreads + static_cast<int>(threadIdx.x));
    for (int r = 0; r < kItems; ++r) s_tile[r * kThreads + threadIdx.x] = item[r];
    __syncthreads();
}

// Writes the first `count` of a thread's items to s_to[0], s_to[1], ..., or backwards to s_to[0], s_to[-1], ..., once
// no thread reads the tile any more.
template <int kItems, class T>
__device__ void put_items(T* s_to, bool backwards, const T (&item)[kItems], int count = kItems) {
    __syncthreads();
    if (backwards) {
        for (int k = 0; k < kItems; ++k)
            if (k < count) s_to[-k] = item[k];
    } else {
        for (int k = 0; k < kItems; ++k)
            if (k < count) s_to[k] = item[k];
    }
    __syncthreads();
}

template <int kThreads, int kItems, class T>
__device__ void store(const T* s_tile, T* d_to, int count) {
#pragma unroll
    for (int r = 0; r < kItems; ++r) {
        int k = r * kThreads + static_cast<int>(threadIdx.x);
        if (k < count) d_to[k] = s_tile[k];
    }
}
