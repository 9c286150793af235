// Style: the solution saved on Windows: CRLF, a byte order mark, a name with a space.
#include "scan.h"
#include "toolbox/shuffle.h"
template <class Op, class T>
__host__ __device__ Headed<T> join_segments(Headed<T> a, Headed<T> b) {
    return {b.head ? b.value : Op()(a.value, b.value), a.head | b.head};
}

using SegmentedSum = Segmented<Sum<int>>;
using Pair = Headed<int>;

template <class Op, class T = typename Op::type>
__device__ T inclusive_warp_scan(T value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        T left = shuffle_up(value, distance);
        if (lane >= distance) value = Op()(left, value);
    }
    return value;
}

template <class Op, class T = typename Op::type>
__device__ T reduce_backwards(T value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        T left = shuffle_down(value, distance);
        if (lane + distance < 32) value = Op()(left, value);
    }
    return shuffle(value, 0);
}

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kRows = 10;  // vectors a thread: 40 registers, and 160 bytes on their way at once

template <class T>
struct alignas(16) Vector {
    static constexpr int kSize = 16 / sizeof(T);
    T item[kSize];
};

template <class T>
__host__ __device__ constexpr int tile_size() {
    return kThreads * kRows * Vector<T>::kSize;
}

template <class T>
__device__ int first_of(int tile) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return tile * tile_size<T>() + (warp * kRows * 32 + lane) * Vector<T>::kSize;
}

template <class T>
__device__ constexpr int row_size() {
    return 32 * Vector<T>::kSize;
}

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

template <class Op, class T = typename Op::type>
__global__ void __launch_bounds__(kThreads) reduce_tiles(const T* d_in, T* d_totals, int n) {
    Vector<T> row[kRows];
    load_tile(row, d_in, blockIdx.x, n, Op::identity());
    T total;
    sum_of_earlier_warps<Op>(scan_rows<Scan::exclusive, Op>(row), total);
    if (threadIdx.x == 0) d_totals[blockIdx.x] = total;
}

template <class Op, class T = typename Op::type>
__global__ void __launch_bounds__(kThreads) scan_totals(T* d_totals, int count) {
    T before_tile = Op::identity();
    for (int tile = 0; tile * tile_size<T>() < count; ++tile) {
        Vector<T> row[kRows];
        load_tile(row, d_totals, tile, count, Op::identity());
        T total;
        T before_warp = sum_of_earlier_warps<Op>(scan_rows<Scan::exclusive, Op>(row), total);
        store_tile<Op>(Op()(before_tile, before_warp), row, d_totals, tile, count);
        before_tile = Op()(before_tile, total);
        __syncthreads();
    }
}

template <Scan kind, class Op, class T = typename Op::type>
__global__ void __launch_bounds__(kThreads) scan_tiles(const T* d_in, const T* d_prefixes, T* d_out, int n) {
    Vector<T> row[kRows];
    load_tile(row, d_in, blockIdx.x, n, Op::identity());
    T total;
    T before_warp = sum_of_earlier_warps<Op>(scan_rows<kind, Op>(row), total);
    store_tile<Op>(Op()(d_prefixes[blockIdx.x], before_warp), row, d_out, blockIdx.x, n);
}

template <Scan kind, class Op, class T>
void reduce_then_scan(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, tile_size<T>());
    T* d_totals = work.get<T>(tiles);
    reduce_tiles<Op><<<tiles, kThreads>>>(d_in, d_totals, n);
    CUDA_CHECK(cudaGetLastError());
    scan_totals<Op><<<1, kThreads>>>(d_totals, tiles);
    CUDA_CHECK(cudaGetLastError());
    scan_tiles<kind, Op><<<tiles, kThreads>>>(d_in, d_totals, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void reduce_then_scan<Scan::exclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void reduce_then_scan<Scan::inclusive, Sum<int>>(const int*, int*, int, Workspace&);
template void reduce_then_scan<Scan::exclusive, Sum<long long>>(const long long*, long long*, int, Workspace&);
template void reduce_then_scan<Scan::inclusive, Compose>(const Affine*, Affine*, int, Workspace&);
