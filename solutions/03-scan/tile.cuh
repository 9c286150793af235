// A block's tile in registers, for tasks 5 to 7: how it is loaded, scanned and stored.
#pragma once

#include "scan.h"
#include "warp_scan.cuh"

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kRows = 10;  // vectors a thread: 40 registers, 160 bytes on their way (docs/performance/03-scan.md)

// 16 bytes: what a lane loads and stores at once.
template <class T>
struct alignas(16) Vector {
    static constexpr int kSize = 16 / sizeof(T);
    T item[kSize];
};

template <class T>
__host__ __device__ constexpr int tile_size() {
    return kThreads * kRows * Vector<T>::kSize;
}

// A row is 32 neighbouring vectors, one for each lane; a warp owns kRows neighbouring rows. This is the index of the
// thread's first element in the array, and row r begins r * row_size() further on.
template <class T>
__device__ int first_of(int tile) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return tile * tile_size<T>() + (warp * kRows * 32 + lane) * Vector<T>::kSize;
}

template <class T>
__device__ constexpr int row_size() {
    return 32 * Vector<T>::kSize;
}

// The thread's vectors of a tile. Only the last tile is not full: it goes element by element, with `otherwise` beyond
// n.
template <class T>
__device__ void load_tile(Vector<T> (&row)[kRows], const T* d_in, int tile, int n, T otherwise) {
    bool full = (tile + 1) * tile_size<T>() <= n;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        int at = first_of<T>(tile) + r * row_size<T>();
        if (full) {
            row[r] = *reinterpret_cast<const Vector<T>*>(d_in + at);
        } else {
            for (int k = 0; k < Vector<T>::kSize; ++k) row[r].item[k] = at + k < n ? d_in[at + k] : otherwise;
        }
    }
}

// Stores the thread's vector of row r, with the sum of all that came before it on the left of each element.
template <class Op, class T = typename Op::type>
__device__ void store_row(T before, Vector<T> v, T* d_out, int tile, int r, int n) {
    int at = first_of<T>(tile) + r * row_size<T>();
    for (T& item : v.item) item = Op()(before, item);
    if ((tile + 1) * tile_size<T>() <= n) {
        *reinterpret_cast<Vector<T>*>(d_out + at) = v;
    } else {
        for (int k = 0; k < Vector<T>::kSize; ++k) {
            if (at + k < n) d_out[at + k] = v.item[k];
        }
    }
}

template <class Op, class T = typename Op::type>
__device__ void store_tile(T before, const Vector<T> (&row)[kRows], T* d_out, int tile, int n) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) store_row<Op>(before, row[r], d_out, tile, r, n);
}

// Scans the elements of one warp in place. Returns their sum, to every lane.
template <Scan kind, class Op, class T = typename Op::type>
__device__ T scan_rows(Vector<T> (&row)[kRows]) {
    Op op;
    int lane = threadIdx.x % 32;
    T total = Op::identity();  // of the rows so far
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        T own = row[r].item[0];
        for (int k = 1; k < Vector<T>::kSize; ++k) own = op(own, row[r].item[k]);
        T up_to = inclusive_warp_scan<Op>(own, lane);
        T left = shuffle_up(up_to, 1);
        T sum = lane == 0 ? total : op(total, left);
        total = op(total, shuffle(up_to, 31));
        for (T& item : row[r].item) {
            T next = op(sum, item);
            item = kind == Scan::inclusive ? next : sum;
            sum = next;
        }
    }
    return total;
}

// From each warp's sum: the sum of the warps before this one, and that of the whole tile, to every thread. Contains a
// barrier. The block needs another one between two calls.
template <class Op, class T = typename Op::type>
__device__ T sum_of_earlier_warps(T of_warp, T& of_tile) {
    __shared__ T s_of_warp[kWarps];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) s_of_warp[warp] = of_warp;
    __syncthreads();
    T before = Op::identity();
    of_tile = Op::identity();
    for (int w = 0; w < kWarps; ++w) {
        if (w == warp) before = of_tile;
        of_tile = Op()(of_tile, s_of_warp[w]);
    }
    return before;
}
