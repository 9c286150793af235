// Rung 4, merge_path: as 3, but the cuts are at every kTile-th place of the output, so that all blocks have equal work,
// and within a tile at every kItems-th place, so that all threads have, too. A thread searches once and then walks.
// Work O(n + n / kItems * log kTile): one search for each thread, not for each element.
#include "path.cuh"

// Launch: a thread for each tile. d_cuts[tile]: how many of a's elements come before it; d_cuts[tiles] is na.
template <class Order, class T>
__global__ void find_path(const T* d_a, int na, const T* d_b, int nb, int* d_cuts, int tiles) {
    int tile = blockIdx.x * kThreads + threadIdx.x;
    if (tile <= tiles) d_cuts[tile] = count_of_a<Order>(d_a, na, d_b, nb, min(tile * kTile, na + nb));
}

// Launch: a block of kThreads for each tile. Shared memory: one tile.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads)
    merge_tiles(const T* d_a, int na, const T* d_b, int nb, T* d_out, const int* d_cuts) {
    __shared__ T s_tile[kTile];
    int tile = blockIdx.x;
    merge_tile<Order>(s_tile, d_a, na, d_b, nb, d_out, tile * kTile, d_cuts[tile], d_cuts[tile + 1]);
}

template <class Order, class T>
void merge_path(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work) {
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
