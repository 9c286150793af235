// Rung 3, bitonic_block: as 2, but comparators reach far. Two neighbouring runs, one ascending and one descending, make
// a bitonic run; comparing its halves place by place leaves two bitonic runs, all of the one before all of the other.
// So runs double: 55 steps for a tile instead of 1024 phases. (Ken Batcher, "Sorting networks and their applications",
// 1968.)
#include "tile_steps.cuh"

// Launch: a block of kPairs threads for each tile. Shared memory: one tile.
template <class Order>
__global__ void bitonic_block_kernel(const typename Order::type* d_in, typename Order::type* d_out, int n) {
    __shared__ typename Order::type s_tile[kTile];
    int first = blockIdx.x * kTile;
    load_tile<Order>(s_tile, d_in, first, n);
    sort_in_tile<Order>(s_tile, 0, min(kTile, n - first) - 1);  // numbered from the tile's start: it stands alone
    store_tile(s_tile, d_out, first, n);
}

template <class Order>
void bitonic_block(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace&) {
    if (n == 0) return;
    bitonic_block_kernel<Order><<<ceil_div(n, kTile), kPairs>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void bitonic_block<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_block<Descending<int>>(const int*, int*, int, Workspace&);
