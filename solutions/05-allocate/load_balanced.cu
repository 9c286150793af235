// Task 5, load_balanced: as 4, but a tile and a thread search only once each, then walk. Elements and outputs form a
// path: one step for an output, one step to the next element when the outputs of this one are done. A tile is kTile
// steps of the path, whatever the counts are. Each tile does one search in global memory; each thread does one in
// shared memory, and then walks kItems steps.
// Global memory: a tile reads its own offsets once, and log2 n more for its search; values once an output.
// (The merge path of the elements' ends and the outputs' numbers: Odeh, Green and others, 2012; used for expansion as
// the "load-balancing search" of Baxter's moderngpu, 2013.)
#include "allocate.h"

constexpr int kBlock = 256;
constexpr int kItems = 7;  // odd, so that the lanes of a warp begin in different banks
constexpr int kTile = kBlock * kItems;

// How many of `count` elements are passed in the first `step` steps of the path. ends(i): where the outputs of element
// i end. That many outputs and i elements come before the step that passes it: step ends(i) + i, counted from 0.
template <class Ends>
__device__ int passed(Ends ends, int count, int step) {
    int low = 0, high = min(step, count);
    while (low < high) {
        int middle = (low + high) / 2;
        if (ends(middle) + middle < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Launch: a thread for each tile and one more. d_first[tile]: the element at which the tile begins.
__global__ void find_tiles(const int* d_offsets, int* d_first, int n, int total, int tiles) {
    int tile = blockIdx.x * kBlock + threadIdx.x;
    auto ends = [=](int i) { return d_offsets[i + 1]; };
    if (tile <= tiles) d_first[tile] = passed(ends, n, min(tile * kTile, n + total));
}

// Launch: a block of kBlock for each tile. Shared memory: a number for each step, and one more.
template <class Make>
__global__ void __launch_bounds__(kBlock)
    make_tiles(const int* d_values, const int* d_offsets, const int* d_first, int* d_out, int n, int total, Make make) {
    __shared__ int s_tile[kTile + 1];
    int first = d_first[blockIdx.x], elements = d_first[blockIdx.x + 1] - first;  // those that end in the tile
    int begin = blockIdx.x * kTile, steps = min(kTile, n + total - begin);
    int out = begin - first, outputs = steps - elements;

    // Where the outputs begin: of the elements that end in the tile, and of the one after them.
    int* s_offsets = s_tile;
    for (int k = threadIdx.x; k <= elements; k += kBlock) s_offsets[k] = d_offsets[first + k];
    __syncthreads();

    // Each thread walks kItems steps, and notes for every output which element it belongs to.
    int* s_sources = s_tile + elements + 1;
    int step = min(static_cast<int>(threadIdx.x) * kItems, steps), last = min(step + kItems, steps);
    auto ends = [=](int k) { return s_offsets[k + 1] - out; };
    for (int k = passed(ends, elements, step); step < last; ++step) {
        if (k < elements && ends(k) + k <= step)
            ++k;
        else
            s_sources[step - k] = k;
    }
    __syncthreads();

    for (int j = threadIdx.x; j < outputs; j += kBlock) {  // neighbours write neighbours
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
    find_tiles<<<ceil_div(tiles + 1, kBlock), kBlock>>>(d_offsets, d_first, n, total, tiles);
    CUDA_CHECK(cudaGetLastError());
    make_tiles<<<tiles, kBlock>>>(d_values, d_offsets, d_first, d_out, n, total, make);
    CUDA_CHECK(cudaGetLastError());
}

template void load_balanced(const int*, const int*, int*, int, int, Repeat, Workspace&);
template void load_balanced(const int*, const int*, int*, int, int, CountUp, Workspace&);
