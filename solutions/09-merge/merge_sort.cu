// Rung 5, merge_sort: runs double until one is left, and a merge suits each length:
//   up to kItems = 11   a network in the registers of one thread (lab 8's odd_even, which is stable)
//   up to kTile = 2816  the threads of a block share each merge, in shared memory: rung 4 within a tile
//   beyond              the blocks share each merge: rung 4, for many pairs of runs in one launch
// Global memory: one pass for the first two, and one pass for every doubling beyond a tile.
#include <utility>

#include "path.cuh"

// kItems phases of comparators between neighbours. Equal neighbours do not change places, and no comparator reaches
// further, so equal elements cannot pass each other. In a bitonic network they could.
template <class Order, class T>
__device__ void sort_in_registers(T (&item)[kItems]) {
#pragma unroll
    for (int phase = 0; phase < kItems; ++phase) {
#pragma unroll
        for (int k = phase % 2; k + 1 < kItems; k += 2) {
            T low = item[k], high = item[k + 1];
            bool swap = Order().before(high, low);
            item[k] = swap ? high : low;
            item[k + 1] = swap ? low : high;
        }
    }
}

// Launch: a block of kThreads for each tile. Shared memory: one tile. Sorts each tile.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads) sort_tiles(const T* d_in, T* d_out, int n) {
    __shared__ T s_tile[kTile];
    int t = threadIdx.x, first = blockIdx.x * kTile, count = min(kTile, n - first);
    // Padding starts behind all elements, and comes before none of them: a stable sort leaves it there.
    load(s_tile, [=](int k) { return k < count ? d_in[first + k] : Order::last(); });
    T item[kItems];
    for (int k = 0; k < kItems; ++k) item[k] = s_tile[t * kItems + k];
    sort_in_registers<Order>(item);

    for (int run = kItems; run < kTile; run *= 2) {
        put_items(s_tile, item);
        int pair = t * kItems / (2 * run) * (2 * run);  // where this thread's pair of runs begins
        int diagonal = t * kItems - pair;
        int i = pair + count_of_a<Order>(s_tile + pair, run, s_tile + pair + run, run, diagonal);
        merge_along_path<Order>(s_tile, i, pair + run, pair + run + diagonal - (i - pair), pair + 2 * run, item);
    }
    put_items(s_tile, item);
    store(s_tile, d_out + first, count);
}

// The pair of runs that a tile belongs to. It belongs to only one, because a run is a whole number of tiles.
struct RunPair {
    int first, na, nb;  // where a begins, and both lengths; at the end of the array they may be shorter than a run
    __device__ RunPair(int tile, int run, int n) {
        first = tile / (2 * (run / kTile)) * (2 * run);
        na = min(run, n - first);
        nb = min(run, n - first - na);
    }
};

// Launch: a thread for each tile. d_cuts[tile]: how many elements of its pair's a come before it.
template <class Order, class T>
__global__ void find_path_of_runs(const T* d_in, int* d_cuts, int n, int run, int tiles) {
    int tile = blockIdx.x * kThreads + threadIdx.x;
    if (tile >= tiles) return;
    RunPair pair(tile, run, n);
    const T* d_a = d_in + pair.first;
    d_cuts[tile] = count_of_a<Order>(d_a, pair.na, d_a + pair.na, pair.nb, tile * kTile - pair.first);
}

// Launch: a block of kThreads for each tile. Shared memory: one tile.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads)
    merge_tiles_of_runs(const T* d_in, T* d_out, const int* d_cuts, int n, int run) {
    __shared__ T s_tile[kTile];
    int tile = blockIdx.x;
    RunPair pair(tile, run, n);
    int first = tile * kTile - pair.first;
    bool is_last = first + kTile >= pair.na + pair.nb;  // then d_cuts[tile + 1] belongs to the next pair
    const T* d_a = d_in + pair.first;
    merge_tile<Order>(s_tile, d_a, pair.na, d_a + pair.na, pair.nb, d_out + pair.first, first, d_cuts[tile],
                      is_last ? pair.na : d_cuts[tile + 1]);
}

template <class Order, class T>
void merge_sort(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, kTile), passes = 0;
    while (kTile << passes < n) ++passes;
    // Two arrays alternate as output, and the last pass must write d_out.
    T *d_to = d_out, *d_other = work.get<T>(passes > 0 ? n : 0);
    if (passes % 2 == 1) std::swap(d_to, d_other);
    sort_tiles<Order><<<tiles, kThreads>>>(d_in, d_to, n);
    CUDA_CHECK(cudaGetLastError());
    int* d_cuts = work.get<int>(tiles);
    for (int run = kTile; run < n; run *= 2) {
        std::swap(d_to, d_other);
        find_path_of_runs<Order><<<ceil_div(tiles, kThreads), kThreads>>>(d_other, d_cuts, n, run, tiles);
        CUDA_CHECK(cudaGetLastError());
        merge_tiles_of_runs<Order><<<tiles, kThreads>>>(d_other, d_to, d_cuts, n, run);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void merge_sort<Ascending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Descending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Ascending<float>>(const float*, float*, int, Workspace&);
template void merge_sort<ByKey>(const Pair*, Pair*, int, Workspace&);
