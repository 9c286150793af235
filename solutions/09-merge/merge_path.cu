// Rung 4, merge_path: as 3, but the cuts are at every kTile-th place of the output, so that all blocks have the same
// work; and again at every kItems-th place of a tile, so that all threads have. A thread searches once and then walks.
// Work O(n + n / kItems * log kTile): the search is paid for once a thread, not once an element.
#include "path.cuh"

// Launch: a thread for each tile. d_cuts[tile]: how many of a's elements come before it; and na behind the last one.
template <class Order>
__global__ void find_path(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb, int* d_cuts,
                          int tiles) {
    int tile = blockIdx.x * kThreads + threadIdx.x;
    if (tile <= tiles) d_cuts[tile] = count_of_a<Order>(d_a, na, d_b, nb, min(tile * kTile, na + nb));
}

// Launch: a block of kThreads for each tile. Shared memory: one tile.
template <class Order>
__global__ void __launch_bounds__(kThreads)
    merge_tiles(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                typename Order::type* d_out, const int* d_cuts) {
    __shared__ typename Order::type s_tile[kTile];
    int tile = blockIdx.x;
    merge_tile<Order>(s_tile, d_a, na, d_b, nb, d_out, tile * kTile, d_cuts[tile], d_cuts[tile + 1]);
}

template <class Order>
void merge_path(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                typename Order::type* d_out, Workspace& work) {
    if (na + nb == 0) return;
    int tiles = ceil_div(na + nb, kTile);
    int* d_cuts = work.get<int>(tiles + 1);
    find_path<Order><<<ceil_div(tiles + 1, kThreads), kThreads>>>(d_a, na, d_b, nb, d_cuts, tiles);
    CUDA_CHECK(cudaGetLastError());
    merge_tiles<Order><<<tiles, kThreads>>>(d_a, na, d_b, nb, d_out, d_cuts);
    CUDA_CHECK(cudaGetLastError());
}

template void merge_path<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void merge_path<Ascending<long long>>(const long long*, int, const long long*, int, long long*, Workspace&);
template void merge_path<Ascending<float>>(const float*, int, const float*, int, float*, Workspace&);
template void merge_path<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
