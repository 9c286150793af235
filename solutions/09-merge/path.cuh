// Shared by rungs 4 and 5: the merge path, and merging along it.
// Draw a's elements down and b's to the right. Taking an element of a is a step down, taking one of b a step to the
// right. The merge is a path from corner to corner. It crosses each diagonal once, and binary search finds where; on
// diagonal d, d elements have been taken. So the path can be cut into pieces of equal length.
// (Odeh, Green, Mwassi, Shmueli and Birk, "Merge path - parallel merging made simple", 2012; Green, McColl and Bader,
// "GPU merge path: a GPU merging algorithm", 2012.)
#pragma once

#include "merge.h"

constexpr int kThreads = 256;
constexpr int kItems = 11;  // of a thread. Odd, so that the 32 lanes' k-th items lie in 32 different banks
constexpr int kTile = kThreads * kItems;

// Of the first `diagonal` elements of the merged order, how many are a's? 0 <= diagonal <= na + nb.
template <class Order, class T>
__device__ int count_of_a(const T* a, int na, const T* b, int nb, int diagonal) {
    int low = max(0, diagonal - nb), high = min(diagonal, na);  // b has only nb, and a only na
    while (low < high) {
        int i = (low + high) / 2;
        if (Order().before(b[diagonal - 1 - i], a[i]))  // a[i] comes too late; if they are equal, it does not
            high = i;
        else
            low = i + 1;
    }
    return low;
}

// Merges s[i..i_end) and s[j..j_end) until it has kItems elements. If both end earlier, the rest is not used.
template <class Order, class T>
__device__ void merge_along_path(const T* s, int i, int i_end, int j, int j_end, T (&item)[kItems]) {
    T a = i < i_end ? s[i] : T{}, b = j < j_end ? s[j] : T{};
#pragma unroll  // an array lies in registers only if every index is known
    for (int k = 0; k < kItems; ++k) {
        bool from_a = j >= j_end || (i < i_end && !Order().before(b, a));
        item[k] = from_a ? a : b;
        int next = from_a ? ++i : ++j;
        T fetched = next < (from_a ? i_end : j_end) ? s[next] : T{};
        if (from_a)
            a = fetched;
        else
            b = fetched;
    }
}

// Each thread merges kItems elements of its own; through shared memory, neighbouring threads still load and store
// neighbouring elements. All threads of the block call the following.

// Fills the tile with at(0), at(1), ... A thread issues all of its loads before it needs the first.
template <class T, class At>
__device__ void load(T* s_tile, At at) {
    T item[kItems];
    for (int r = 0; r < kItems; ++r) item[r] = at(r * kThreads + static_cast<int>(threadIdx.x));
    for (int r = 0; r < kItems; ++r) s_tile[r * kThreads + threadIdx.x] = item[r];
    __syncthreads();
}

// Overwrites the tile with each thread's items, once no thread reads it any more.
template <class T>
__device__ void put_items(T* s_tile, const T (&item)[kItems]) {
    __syncthreads();
    for (int k = 0; k < kItems; ++k) s_tile[threadIdx.x * kItems + k] = item[k];
    __syncthreads();
}

template <class T>
__device__ void store(const T* s_tile, T* d_to, int count) {
    for (int k = threadIdx.x; k < count; k += kThreads) d_to[k] = s_tile[k];
}

// One tile of a merge: elements first, ..., first + kTile - 1 of the result, as far as they exist. cut, cut_at_end: how
// many of a's elements come before the tile, and before its end. Shared memory: one tile.
template <class Order, class T>
__device__ void merge_tile(T* s_tile, const T* d_a, int na, const T* d_b, int nb, T* d_out, int first, int cut,
                           int cut_at_end) {
    int count = min(kTile, na + nb - first), of_a = cut_at_end - cut;
    d_a += cut;
    d_b += first - cut;
    load(s_tile, [=](int k) { return k < of_a ? d_a[k] : k < count ? d_b[k - of_a] : T{}; });
    int diagonal = min(static_cast<int>(threadIdx.x) * kItems, count);
    int i = count_of_a<Order>(s_tile, of_a, s_tile + of_a, count - of_a, diagonal);
    T item[kItems];
    merge_along_path<Order>(s_tile, i, of_a, of_a + diagonal - i, count, item);
    put_items(s_tile, item);
    store(s_tile, d_out + first, count);
}
