// Task 4, bitonic_global: as 3, but runs go on doubling beyond the tile. A step whose stride is a tile or more is a
// launch of its own over global memory, 8 bytes an element. Once strides fit into a tile, one launch does the rest of
// the merge.
#include "tile_steps.cuh"

// Sorts runs of up to a tile. Launch: a block of kPairs threads for each tile. Shared memory: one tile.
template <class Order, class T>
__global__ void sort_tiles(const T* d_in, T* d_out, int n) {
    __shared__ T s_tile[kTile];
    int first = blockIdx.x * kTile;
    load_tile<Order>(s_tile, d_in, first, n);
    sort_in_tile<Order>(s_tile, first, n - 1);
    store_tile(s_tile, d_out, first, n);
}

// One step. Launch: a thread for each pair, blocks of kPairs.
template <class Order, class T>
__global__ void exchange_far(T* d_data, int n, int size, int stride) {
    int low = lower_place(blockIdx.x * kPairs + threadIdx.x, stride);
    int high = low + stride;
    if (high < n) compare_exchange<Order>(d_data[low], d_data[high], Runs{size, n - 1}.descend_at(low));
}

// The steps of one merge that fit into a tile. Launch and shared memory: as sort_tiles.
template <class Order, class T>
__global__ void merge_tiles(T* d_data, int n, int size) {
    __shared__ T s_tile[kTile];
    int first = blockIdx.x * kTile;
    load_tile<Order>(s_tile, d_data, first, n);
    merge_in_tile<Order>(s_tile, first, Runs{size, n - 1}, kTile / 2);
    store_tile(s_tile, d_data, first, n);
}

template <class Order, class T>
void bitonic_global(const T* d_in, T* d_out, int n, Workspace&) {
    if (n == 0) return;
    int tiles = ceil_div(n, kTile);
    sort_tiles<Order><<<tiles, kPairs>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    for (int size = 2 * kTile; size < 2 * n; size *= 2) {
        for (int stride = size / 2; stride >= kTile; stride /= 2) {
            int pairs = ceil_div(n, 2 * stride) * stride;  // includes all pairs whose lower place is below n
            exchange_far<Order><<<pairs / kPairs, kPairs>>>(d_out, n, size, stride);
            CUDA_CHECK(cudaGetLastError());
        }
        merge_tiles<Order><<<tiles, kPairs>>>(d_out, n, size);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void bitonic_global<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_global<ByKey>(const Pair*, Pair*, int, Workspace&);
