// Task 4, merge_path: as 3, but the cuts are at every kTile-th place of the output, so that all blocks have equal work,
// and within a tile at every kItems-th place, so that all threads have, too. A thread searches once and then walks.
// Work O(n + n / kItems * log kTile + n / kTile * log n): a search for each thread and each tile, not each element.
#include "path.cuh"

constexpr int kThreads = 256;
constexpr int kItems = 15;  // of a thread. Odd, so that the lanes' k-th items lie in different banks
constexpr int kTile = kThreads * kItems;

// Launch: a thread for each tile, and one more. d_cuts[tile]: how many of a's elements come before it; the last is na.
template <class Order, class T>
__global__ void find_path(const T* d_a, int na, const T* d_b, int nb, int* d_cuts, int tiles) {
    int tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile <= tiles) d_cuts[tile] = count_of_a<Order, kTile>(d_a, na, d_b, nb, min(tile * kTile, na + nb));
}

// Launch: a block of kThreads for each tile. Shared memory: one tile.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads)
    merge_tiles(const T* d_a, int na, const T* d_b, int nb, T* d_out, const int* d_cuts) {
    __shared__ T s_tile[kTile];
    int t = threadIdx.x, tile = blockIdx.x, first = tile * kTile, cut = d_cuts[tile];
    int count = min(kTile, na + nb - first), of_a = d_cuts[tile + 1] - cut, of_b = count - of_a;
    d_a += cut;
    d_b += first - cut;
    // a; then b backwards, and behind b's last element padding, which comes before no element.
    load<kThreads, kItems>(s_tile, [=](int k) {
        int from_end = kTile - 1 - k;
        return k < of_a ? d_a[k] : from_end < of_b ? d_b[from_end] : Order::last();
    });
    T item[kItems];
    merge_along_path<Order>(s_tile, of_a, kTile, t * kItems, item);
    put_items(s_tile + t * kItems, false, item);
    store<kThreads, kItems>(s_tile, d_out + first, count);
}

template <class Order, class T>
void merge_path(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work) {
    if (na + nb == 0) return;
    int tiles = ceil_div(na + nb, kTile);
    int* d_cuts = work.get<int>(tiles + 1);
    find_path<Order><<<ceil_div(tiles + 1, 128), 128>>>(d_a, na, d_b, nb, d_cuts, tiles);
    CUDA_CHECK(cudaGetLastError());
    merge_tiles<Order><<<tiles, kThreads>>>(d_a, na, d_b, nb, d_out, d_cuts);
    CUDA_CHECK(cudaGetLastError());
}

template void merge_path<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void merge_path<Ascending<long long>>(const long long*, int, const long long*, int, long long*, Workspace&);
template void merge_path<Ascending<float>>(const float*, int, const float*, int, float*, Workspace&);
template void merge_path<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
