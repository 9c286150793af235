// The record of task 5, merge_sort. As its lesson, merge_sort.cu, but the blocks merge four runs at once: two merges in
// shared memory, then one of their results. So the elements move through global memory only once for two doublings.
// What costs most beyond that are the walks: 32 lanes read from 32 places, and meet in banks of shared memory.
// docs/performance/09-merge.md has the measurements.
#include <utility>

#include "odd_even.cuh"
#include "path.cuh"

constexpr int kThreads = 128;
constexpr int kFewTiles = 512;  // up to so many, each block finds its own cuts, which saves a launch
template <class T>
constexpr int kItems = 132 / sizeof(T) | 1;  // of a thread: 33 of 4 bytes. Odd, as in task 4
// Two merges side by side, whose lengths are no multiples of kItems, may need one thread more than one merge.
template <class T>
constexpr int kTile = (kThreads - 1) * kItems<T>;

// Launch: a block of kThreads for each tile. Shared memory: a tile, and kItems elements of padding. Sorts each tile.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads) sort_tiles(const T* d_in, T* d_out, int n) {
    __shared__ T s_tile[kThreads * kItems<T>];
    int t = threadIdx.x, first = blockIdx.x * kTile<T>, count = min(kTile<T>, n - first);
    // Padding starts behind all elements, and comes before none of them: a stable sort leaves it there.
    load<kThreads, kItems<T>>(s_tile, [=](int k) { return k < count ? d_in[first + k] : Order::last(); });
    T item[kItems<T>];
    for (int k = 0; k < kItems<T>; ++k) item[k] = s_tile[t * kItems<T> + k];
    sort_in_registers<Order>(item);

    for (int run = 1; run < kThreads; run *= 2) {  // as a number of threads
        int pair = t / (2 * run) * (2 * run);      // the first thread of this one's pair of runs
        bool is_b = t - pair >= run;
        int place = is_b ? (2 * pair + 3 * run - t) * kItems<T> - 1 : t * kItems<T>;
        put_items(s_tile + place, is_b, item);
        merge_along_path<Order>(s_tile + pair * kItems<T>, run * kItems<T>, 2 * run * kItems<T>, (t - pair) * kItems<T>,
                                item);
    }
    put_items(s_tile + t * kItems<T>, false, item);
    store<kThreads, kItems<T>>(s_tile, d_out + first, count);
}

// The four neighbouring runs that a tile belongs to. It belongs to no others, because a run is a whole number of tiles.
// At the end of the array runs may be shorter, or empty.
struct FourRuns {
    int first, run, n;
    __device__ FourRuns(int place, int run, int n) : first(place / (4 * run) * (4 * run)), run(run), n(n) {}
    __device__ int begin(int r) const { return min(first + r * run, n); }
    __device__ int size(int r) const { return min(run, n - begin(r)); }
};

// cuts[r]: how many elements of run r are among the first `missing` ones of all four.
// With step <= (missing + 3) / 6, look in each run at three probes: elements number step, 2 * step and 3 * step behind
// the cut. Of the twelve probes, the three that come first are among the missing ones, and so is what lies before them
// in their runs: that makes 3 * step elements, and each other run has at most step - 1 elements that come before one of
// them. So a round finds about half of what is missing.
template <class Order, class T>
__device__ void find_cut(const T* d_in, FourRuns runs, int missing, int* cuts) {
    int cut[4] = {0, 0, 0, 0};
    while (missing > 0) {
        int step = max(1, (missing + 3) / 6);
        if (step > kTile<T>) step -= step % kTile<T>;  // as in count_of_a
        T probe[4][3];
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            for (int p = 0; p < 3; ++p) {
                int end = cut[r] + (p + 1) * step;
                probe[r][p] = end <= runs.size(r) ? d_in[runs.begin(r) + end - 1] : Order::last();
            }
        }
        for (int taken = 0; taken < 3 && missing > 0; ++taken, missing -= step) {
            bool is_there[4];
            for (int r = 0; r < 4; ++r) is_there[r] = cut[r] + step <= runs.size(r);
            // Which run has the probe that comes first: of 0 and 1, of 2 and 3, of all.
            bool is_1 = !is_there[0] || (is_there[1] && Order().before(probe[1][0], probe[0][0]));
            bool is_3 = !is_there[2] || (is_there[3] && Order().before(probe[3][0], probe[2][0]));
            T of_01 = is_1 ? probe[1][0] : probe[0][0], of_23 = is_3 ? probe[3][0] : probe[2][0];
            bool is_23 =
                !(is_there[0] || is_there[1]) || ((is_there[2] || is_there[3]) && Order().before(of_23, of_01));
            int first = is_23 ? 2 + is_3 : is_1;
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                if (r != first) continue;
                cut[r] += step;
                probe[r][0] = probe[r][1];
                probe[r][1] = probe[r][2];
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) cuts[r] = cut[r];
}

// Launch: a thread for each tile. d_cuts[4 * tile + r]: how many elements of its run r come before it. Small blocks:
// the threads of a warp look in different places, and wait for each other's loads.
template <class Order, class T>
__global__ void find_cuts(const T* d_in, int* d_cuts, int n, int run, int tiles) {
    int tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile >= tiles) return;
    FourRuns runs(tile * kTile<T>, run, n);
    find_cut<Order>(d_in, runs, tile * kTile<T> - runs.first, d_cuts + 4 * tile);
}

// Called by a quarter of the block: copies `size` elements, and padding behind them up to padded_size, to s_to[0],
// s_to[direction], s_to[2 * direction], ... A thread issues kLoads loads before it needs the first.
template <class Order, class T>
__device__ void load_run(const T* d_from, int size, int padded_size, T* s_to, int direction) {
    constexpr int kLoads = 12, kQuarter = kThreads / 4;
    for (int k = threadIdx.x % kQuarter; k < padded_size; k += kLoads * kQuarter) {
        T item[kLoads];
#pragma unroll
        for (int l = 0; l < kLoads; ++l) item[l] = k + l * kQuarter < size ? d_from[k + l * kQuarter] : Order::last();
#pragma unroll
        for (int l = 0; l < kLoads; ++l) {
            if (k + l * kQuarter < padded_size) s_to[(k + l * kQuarter) * direction] = item[l];
        }
    }
}

// Launch: a block of kThreads for each tile. Shared memory: a tile, and kItems elements on either side. Without d_cuts,
// two threads find where the tile begins and ends.
template <class Order, class T>
__global__ void __launch_bounds__(kThreads)
    merge_four_runs(const T* d_in, T* d_out, const int* d_cuts, int n, int run) {
    __shared__ T s_memory[(kThreads + 1) * kItems<T>];
    T* s_tile = s_memory + kItems<T>;
    int t = threadIdx.x, tile = blockIdx.x, first = tile * kTile<T>;
    FourRuns runs(first, run, n);
    __shared__ alignas(16) int s_cuts[8];  // where the tile begins in each run, and where it ends
    int count = runs.begin(3) + runs.size(3) - runs.first, end = min(first - runs.first + kTile<T>, count);
    if (d_cuts == nullptr) {
        if (t % 32 == 0 && t < 64) find_cut<Order>(d_in, runs, t == 0 ? first - runs.first : end, s_cuts + t / 8);
    } else if (t < 8) {
        s_cuts[t] = t < 4 || end < count ? d_cuts[4 * tile + t] : runs.size(t - 4);  // the next tile has other runs
    }
    __syncthreads();
    auto size = [](int r) { return s_cuts[4 + r] - s_cuts[r]; };
    int size_0 = size(0), size_01 = size_0 + size(1), size_2 = size(2);

    // In the tile: run 0; run 1 backwards; run 2; run 3 backwards, and padding behind its last element.
    int r = t / (kThreads / 4);  // the run that this thread loads
    int place = r == 0 ? 0 : r == 3 ? kTile<T> - 1 : size_01 - r % 2;
    load_run<Order>(d_in + runs.begin(r) + s_cuts[r], size(r), r == 3 ? kTile<T> - size_01 - size_2 : size(r),
                    s_tile + place, r % 2 == 0 ? 1 : -1);
    if (t < kItems<T>) s_memory[t] = s_memory[kThreads * kItems<T> + t] = Order::last();
    __syncthreads();

    // As many threads as needed merge runs 0 and 1, the others 2 and 3, whose merge lies backwards then.
    T item[kItems<T>];
    int threads_01 = ceil_div(size_01, kItems<T>);
    bool is_b = t >= threads_01;
    int both = is_b ? kTile<T> - size_01 : size_01, diagonal = min((is_b ? t - threads_01 : t) * kItems<T>, both);
    merge_along_path<Order>(s_tile + (is_b ? size_01 : 0), is_b ? size_2 : size_0, both, diagonal, item);
    put_items(s_tile + (is_b ? kTile<T> - 1 - diagonal : diagonal), is_b, item, both - diagonal);

    merge_along_path<Order>(s_tile, size_01, kTile<T>, t * kItems<T>, item);
    put_items(s_tile + t * kItems<T>, false, item);
    store<kThreads, kItems<T>>(s_tile, d_out + first, min(kTile<T>, n - first));
}

template <class Order, class T>
void merge_sort(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int tiles = ceil_div(n, kTile<T>), passes = 0;
    while (kTile<T> << 2 * passes < n) ++passes;
    // Two arrays alternate as output, and the last pass must write d_out.
    T *d_to = d_out, *d_other = work.get<T>(passes > 0 ? n : 0);
    if (passes % 2 == 1) std::swap(d_to, d_other);
    sort_tiles<Order><<<tiles, kThreads>>>(d_in, d_to, n);
    CUDA_CHECK(cudaGetLastError());
    int* d_cuts = tiles <= kFewTiles ? nullptr : work.get<int>(4 * tiles);
    for (int run = kTile<T>; run < n; run *= 4) {
        std::swap(d_to, d_other);
        if (d_cuts != nullptr) find_cuts<Order><<<ceil_div(tiles, 16), 16>>>(d_other, d_cuts, n, run, tiles);
        CUDA_CHECK(cudaGetLastError());
        merge_four_runs<Order><<<tiles, kThreads>>>(d_other, d_to, d_cuts, n, run);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void merge_sort<Ascending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Descending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Ascending<float>>(const float*, float*, int, Workspace&);
template void merge_sort<ByKey>(const Pair*, Pair*, int, Workspace&);
