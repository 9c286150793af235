// verdict: WA or CHECK or RTE task=merge_sort max_n=70000
// because: read outside an array in shared memory
// The last tile of a pair of runs ends where the next pair begins, which counts from 0 again.
#include <utility>

#include "merge.h"

constexpr int kThreads = 256;
constexpr int kItems = 11;  // of a thread. Odd: its neighbours' items then lie in other banks than its own
constexpr int kTile = kThreads * kItems;

// Of the first `diagonal` elements of the merged order, how many are a's? 0 <= diagonal <= na + nb.
template <class Order>
__device__ int count_of_a(const typename Order::type* a, int na, const typename Order::type* b, int nb, int diagonal) {
    int low = max(0, diagonal - nb), high = min(diagonal, na);  // b has only nb, and a only na
    while (low < high) {
        int i = (low + high) / 2;
        if (Order().before(b[diagonal - 1 - i], a[i]))  // then a[i] comes too late; among equals it does not
            high = i;
        else
            low = i + 1;
    }
    return low;
}

// Merges s[i..i_end) and s[j..j_end) up to the kItems-th element. Behind the end of both, items are not used.
template <class Order>
__device__ void merge_along_path(const typename Order::type* s, int i, int i_end, int j, int j_end,
                                 typename Order::type (&item)[kItems]) {
    using T = typename Order::type;
    T a = i < i_end ? s[i] : T{}, b = j < j_end ? s[j] : T{};
#pragma unroll  // an array lies in registers only if every index is known
    for (int k = 0; k < kItems; ++k) {
        bool from_a = j >= j_end || (i < i_end && !Order().before(b, a));
        item[k] = from_a ? a : b;
        int next = from_a ? ++i : ++j;
        T fetched = next < (from_a ? i_end : j_end) ? s[next] : T{};
        if (from_a)
            a = fetched;
        else
            b = fetched;
    }
}

// Through shared memory, neighbouring threads load and store neighbouring elements, though each merges kItems of its
// own. All threads of the block call these.

// Fills the tile with at(0), at(1), ... All loads of a thread are on their way before the first one arrives.
template <class T, class At>
__device__ void load(T* s_tile, At at) {
    T item[kItems];
    for (int r = 0; r < kItems; ++r) item[r] = at(r * kThreads + static_cast<int>(threadIdx.x));
    for (int r = 0; r < kItems; ++r) s_tile[r * kThreads + threadIdx.x] = item[r];
    __syncthreads();
}

// Overwrites the tile with each thread's items, when nobody reads it any more.
template <class T>
__device__ void put_items(T* s_tile, const T (&item)[kItems]) {
    __syncthreads();
    for (int k = 0; k < kItems; ++k) s_tile[threadIdx.x * kItems + k] = item[k];
    __syncthreads();
}

template <class T>
__device__ void store(const T* s_tile, T* d_to, int count) {
    for (int k = threadIdx.x; k < count; k += kThreads) d_to[k] = s_tile[k];
}

// One tile of a merge: elements first, ..., first + kTile - 1 of the result, or those that there are. Cuts: how many
// of a's elements come before the tile, and before its end. Shared memory: one tile.
template <class Order>
__device__ void merge_tile(typename Order::type* s_tile, const typename Order::type* d_a, int na,
                           const typename Order::type* d_b, int nb, typename Order::type* d_out, int first, int cut,
                           int cut_at_end) {
    using T = typename Order::type;
    int count = min(kTile, na + nb - first), of_a = cut_at_end - cut;
    d_a += cut;
    d_b += first - cut;
    load(s_tile, [=](int k) { return k < of_a ? d_a[k] : k < count ? d_b[k - of_a] : T{}; });
    int diagonal = min(static_cast<int>(threadIdx.x) * kItems, count);
    int i = count_of_a<Order>(s_tile, of_a, s_tile + of_a, count - of_a, diagonal);
    T item[kItems];
    merge_along_path<Order>(s_tile, i, of_a, of_a + diagonal - i, count, item);
    put_items(s_tile, item);
    store(s_tile, d_out + first, count);
}

// kItems phases of comparators between neighbours. Two that are equal stay as they are, and no comparator reaches
// beyond a neighbour: equal elements cannot pass each other. A bitonic network's comparators would carry them past.
template <class Order>
__device__ void sort_in_registers(typename Order::type (&item)[kItems]) {
#pragma unroll
    for (int phase = 0; phase < kItems; ++phase) {
#pragma unroll
        for (int k = phase % 2; k + 1 < kItems; k += 2) {
            typename Order::type low = item[k], high = item[k + 1];
            bool swap = Order().before(high, low);
            item[k] = swap ? high : low;
            item[k + 1] = swap ? low : high;
        }
    }
}

// Launch: a block of kThreads for each tile. Shared memory: one tile. Sorts each tile.
template <class Order>
__global__ void __launch_bounds__(kThreads)
    sort_tiles(const typename Order::type* d_in, typename Order::type* d_out, int n) {
    using T = typename Order::type;
    __shared__ T s_tile[kTile];
    int t = threadIdx.x, first = blockIdx.x * kTile, count = min(kTile, n - first);
    // Padding comes after all that is there: it is behind them now, and a stable sort leaves it behind its equals.
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

// The pair of runs that a tile belongs to. A tile never lies in two: runs are whole tiles.
struct RunPair {
    int first, na, nb;  // where a begins, and how long the two are; at the end of the array they may be shorter
    __device__ RunPair(int tile, int run, int n) {
        first = tile / (2 * (run / kTile)) * (2 * run);
        na = min(run, n - first);
        nb = min(run, n - first - na);
    }
};

// Launch: a thread for each tile. d_cuts[tile]: how many of its pair's a come before it.
template <class Order>
__global__ void find_path_of_runs(const typename Order::type* d_in, int* d_cuts, int n, int run, int tiles) {
    int tile = blockIdx.x * kThreads + threadIdx.x;
    if (tile > tiles) return;
    RunPair pair(tile, run, n);
    const typename Order::type* d_a = d_in + pair.first;
    d_cuts[tile] = count_of_a<Order>(d_a, pair.na, d_a + pair.na, pair.nb, tile * kTile - pair.first);
}

// Launch: a block of kThreads for each tile. Shared memory: one tile.
template <class Order>
__global__ void __launch_bounds__(kThreads)
    merge_tiles_of_runs(const typename Order::type* d_in, typename Order::type* d_out, const int* d_cuts, int n,
                        int run) {
    __shared__ typename Order::type s_tile[kTile];
    int tile = blockIdx.x;
    RunPair pair(tile, run, n);
    int first = tile * kTile - pair.first;
    const typename Order::type* d_a = d_in + pair.first;
    merge_tile<Order>(s_tile, d_a, pair.na, d_a + pair.na, pair.nb, d_out + pair.first, first, d_cuts[tile],
                      d_cuts[tile + 1]);
}

template <class Order>
void merge_sort(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, kTile), passes = 0;
    while (kTile << passes < n) ++passes;
    // Two arrays take turns, and the last pass has to write d_out.
    typename Order::type *d_to = d_out, *d_other = work.get<typename Order::type>(passes > 0 ? n : 0);
    if (passes % 2 == 1) std::swap(d_to, d_other);
    sort_tiles<Order><<<tiles, kThreads>>>(d_in, d_to, n);
    CUDA_CHECK(cudaGetLastError());
    int* d_cuts = work.get<int>(tiles + 1);
    for (int run = kTile; run < n; run *= 2) {
        std::swap(d_to, d_other);
        find_path_of_runs<Order><<<ceil_div(tiles + 1, kThreads), kThreads>>>(d_other, d_cuts, n, run, tiles);
        CUDA_CHECK(cudaGetLastError());
        merge_tiles_of_runs<Order><<<tiles, kThreads>>>(d_other, d_to, d_cuts, n, run);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void merge_sort<Ascending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Descending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Ascending<float>>(const float*, float*, int, Workspace&);
template void merge_sort<ByKey>(const Pair*, Pair*, int, Workspace&);
