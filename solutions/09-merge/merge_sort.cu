// Task 5, merge_sort: runs double until one is left, and a merge suits each length:
//   up to kItems  a network in the registers of one thread (lab 8's odd_even, which is stable)
//   up to kTile   the threads of a block share each merge, in shared memory: task 4 within a tile
//   beyond        all blocks share each merge: task 4, for all pairs of runs in one launch
// Global memory: one pass for the first two, and one for each doubling beyond a tile.
#include <utility>

#include "odd_even.cuh"
#include "path.cuh"

constexpr int kThreads = 256;
constexpr int kItems = 15;  // of a thread. Odd, as in task 4
constexpr int kTile = kThreads * kItems;

// Launch: a block of kThreads for each tile. Shared memory: one tile. Sorts each tile.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads) sort_tiles(const T* d_in, T* d_out, int n) {
    __shared__ T s_tile[kTile];
    int t = threadIdx.x, first = blockIdx.x * kTile, count = min(kTile, n - first);
    // Padding starts behind all elements, and comes before none of them: a stable sort leaves it there.
    load<kThreads, kItems>(s_tile, [=](int k) { return k < count ? d_in[first + k] : Order::last(); });
    T item[kItems];
    for (int k = 0; k < kItems; ++k) item[k] = s_tile[t * kItems + k];
    sort_in_registers<Order>(item);

    for (int run = 1; run < kThreads; run *= 2) {  // as a number of threads
        int pair = t / (2 * run) * (2 * run);      // the first thread of this one's pair of runs, which are a and b
        bool is_b = t - pair >= run;
        int place = is_b ? (2 * pair + 3 * run - t) * kItems - 1 : t * kItems;
        put_items(s_tile + place, is_b, item);  // b lies backwards
        merge_along_path<Order>(s_tile + pair * kItems, run * kItems, 2 * run * kItems, (t - pair) * kItems, item);
    }
    put_items(s_tile + t * kItems, false, item);
    store<kThreads, kItems>(s_tile, d_out + first, count);
}

// Launch: a block of kThreads for each tile of the output. Shared memory: one tile, and where it is cut from its runs.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads) merge_runs(const T* d_in, T* d_out, int n, int run) {
    __shared__ T s_tile[kTile];
    __shared__ int s_cuts[2];  // how many of a's elements come before the tile, and before its end
    int t = threadIdx.x, first = blockIdx.x * kTile, count = min(kTile, n - first);
    // The tile belongs to one pair of runs, because a run is a whole number of tiles. The last b may be short or empty.
    int pair = first / (2 * run) * (2 * run), na = min(run, n - pair), nb = min(run, n - pair - na);
    const T *d_a = d_in + pair, *d_b = d_a + na;
    int diagonal = first - pair;
    if (t % 32 == 0 && t < 64) s_cuts[t / 32] = count_of_a<Order>(d_a, na, d_b, nb, diagonal + t / 32 * count);
    __syncthreads();

    int of_a = s_cuts[1] - s_cuts[0], of_b = count - of_a;
    d_a += s_cuts[0];
    d_b += diagonal - s_cuts[0];
    // As in task 4: a; then b backwards, and padding behind b's last element.
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
void merge_sort(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, kTile), passes = 0;
    while (kTile << passes < n) ++passes;
    // Two arrays alternate as output, and the last pass must write d_out.
    T *d_to = d_out, *d_other = work.get<T>(passes > 0 ? n : 0);
    if (passes % 2 == 1) std::swap(d_to, d_other);
    sort_tiles<Order><<<tiles, kThreads>>>(d_in, d_to, n);
    CUDA_CHECK(cudaGetLastError());
    for (int run = kTile; run < n; run *= 2) {
        std::swap(d_to, d_other);
        merge_runs<Order><<<tiles, kThreads>>>(d_other, d_to, n, run);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void merge_sort<Ascending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Descending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Ascending<float>>(const float*, float*, int, Workspace&);
template void merge_sort<ByKey>(const Pair*, Pair*, int, Workspace&);
