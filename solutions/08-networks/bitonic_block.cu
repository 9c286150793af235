// Task 3, bitonic_block: as 2, but comparators reach far. An ascending run next to a descending one is a bitonic run.
// Compare its two halves place by place: every element of one half now comes before every element of the other, and
// both halves are bitonic again. So runs double: 55 steps for a tile instead of 1024 phases. (Ken Batcher, "Sorting
// networks and their applications", 1968.)
#include "tile_steps.cuh"

// Launch: a block of kPairs threads for each tile. Shared memory: one tile.
template <class Order, class T>
__global__ void bitonic_block_kernel(const T* d_in, T* d_out, int n) {
    __shared__ T s_tile[kTile];
    int first = blockIdx.x * kTile;
    load_tile<Order>(s_tile, d_in, first, n);
    sort_in_tile<Order>(s_tile, 0, min(kTile, n - first) - 1);  // places count from the tile's start
    store_tile(s_tile, d_out, first, n);
}

template <class Order, class T>
void bitonic_block(const T* d_in, T* d_out, int n, Workspace&) {
    if (n == 0) return;
    bitonic_block_kernel<Order><<<ceil_div(n, kTile), kPairs>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void bitonic_block<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_block<Descending<int>>(const int*, int*, int, Workspace&);
