// verdict: WA or CHECK or RTE task=load_balanced max_n=5000
// because: read outside an array in shared memory
// The search passes an element only when the output behind its last one is made, the walk before it.
#include "allocate.h"

constexpr int kThreads = 256;
constexpr int kItems = 7;  // odd: threads that far apart meet in no bank
constexpr int kTile = kThreads * kItems;

// After `step` steps of a path along `count` elements: how many of them are passed. ends(i): where the i-th one's
// outputs end. The end comes before the output of the same number, which is the next element's.
template <class Ends>
__device__ int passed(Ends ends, int count, int step) {
    int low = 0, high = min(step, count);
    while (low < high) {
        int middle = (low + high) / 2;
        if (ends(middle) < step - 1 - middle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Launch: a thread for each tile and one more. d_first[tile]: the element at which the tile begins.
__global__ void find_tiles(const int* d_offsets, int* d_first, int n, int total, int tiles) {
    int tile = blockIdx.x * kThreads + threadIdx.x;
    auto ends = [=](int i) { return d_offsets[i + 1]; };
    if (tile <= tiles) d_first[tile] = passed(ends, n, min(tile * kTile, n + total));
}

// Launch: a block of kThreads for each tile. Shared memory: a number for each step, and one more.
template <class Make>
__global__ void __launch_bounds__(kThreads)
    make_tiles(const int* d_values, const int* d_offsets, const int* d_first, int* d_out, int n, int total, Make make) {
    __shared__ int s_tile[kTile + 1];
    int first = d_first[blockIdx.x], elements = d_first[blockIdx.x + 1] - first;  // that end in the tile
    int begin = blockIdx.x * kTile, steps = min(kTile, n + total - begin);
    int out = begin - first, outputs = steps - elements;

    // Where outputs begin: of the elements that end here, and of the one behind them.
    int* s_offsets = s_tile;
    for (int k = threadIdx.x; k <= elements; k += kThreads) s_offsets[k] = d_offsets[first + k];
    __syncthreads();

    // Each thread walks kItems steps, and leaves with every output whose it is.
    int* s_sources = s_tile + elements + 1;
    int step = min(static_cast<int>(threadIdx.x) * kItems, steps), last = min(step + kItems, steps);
    auto ends = [=](int k) { return s_offsets[k + 1] - out; };
    for (int k = passed(ends, elements, step); step < last; ++step) {
        if (k < elements && ends(k) <= step - k)
            ++k;
        else
            s_sources[step - k] = k;
    }
    __syncthreads();

    for (int j = threadIdx.x; j < outputs; j += kThreads) {  // neighbours write neighbours
        int k = s_sources[j];
        d_out[out + j] = make(d_values[first + k], out + j - s_offsets[k]);
    }
}

template <class Make>
void load_balanced(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make, Workspace& work) {
    if (total == 0) return;
    int tiles = ceil_div(n + total, kTile);
    int* d_offsets = work.get<int>(n + 1);
    int* d_first = work.get<int>(tiles + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    find_tiles<<<ceil_div(tiles + 1, kThreads), kThreads>>>(d_offsets, d_first, n, total, tiles);
    CUDA_CHECK(cudaGetLastError());
    make_tiles<<<tiles, kThreads>>>(d_values, d_offsets, d_first, d_out, n, total, make);
    CUDA_CHECK(cudaGetLastError());
}

template void load_balanced(const int*, const int*, int*, int, int, Repeat, Workspace&);
template void load_balanced(const int*, const int*, int*, int, int, CountUp, Workspace&);
