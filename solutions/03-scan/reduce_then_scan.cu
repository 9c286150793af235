// Task 5, reduce_then_scan: as 4, but a tile stays in registers, where shuffles scan it, and its total is known before
// anything is written. Global memory: each element read twice and written once.
#include "scan.h"
#include "tile.cuh"

// Launch: a block of kThreads for each tile. Shared memory: the warps' sums.
template <class Op, class T = typename Op::type>
__global__ void __launch_bounds__(kThreads) reduce_tiles(const T* d_in, T* d_totals, int n) {
    Vector<T> row[kRows];
    load_tile(row, d_in, blockIdx.x, n, Op::identity());
    T total;
    sum_of_earlier_warps<Op>(scan_rows<Scan::exclusive, Op>(row), total);
    if (threadIdx.x == 0) d_totals[blockIdx.x] = total;
}

// The exclusive scan of the totals, in place. Launch: one block of kThreads, which goes through them tile by tile.
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

// Launch: as reduce_tiles.
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
