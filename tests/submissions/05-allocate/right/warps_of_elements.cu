// Style: a warp takes 32 elements and makes their outputs together, however many: votes and matches, shuffles
// with a computed source, a queue of warps behind one atomic counter in static device memory, alloca.
#include "allocate.h"

static __device__ int g_next;

__global__ void no_warps_yet() { g_next = 0; }

// The element of lane l begins at output begin_l, and the lanes' beginnings ascend: the last lane that begins at or
// before `output`.
__device__ int lane_of(int begin, int output) {
    int lane = 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        int there = __shfl_sync(~0u, begin, lane + step);
        if (there <= output) lane += step;
    }
    return lane;
}

template <class Make>
__global__ void __launch_bounds__(128) by_warps(const int* values, const int* offsets, int* out, int n, Make make) {
    int lane = threadIdx.x & 31;
    int* taken = static_cast<int*>(alloca(2 * sizeof(int)));
    for (;;) {
        if (lane == 0) taken[0] = atomicAdd(&g_next, 1);
        taken[1] = __shfl_sync(~0u, lane == 0 ? taken[0] : 0, 0);
        int first = taken[1] * 32, i = first + lane;
        if (first >= n) return;
        int begin = offsets[min(i, n)], end = offsets[min(first + 32, n)], value = i < n ? values[i] : 0;
        int least = __shfl_sync(~0u, begin, 0), same;
        if (__match_all_sync(~0u, begin, &same) && same && begin == end) continue;  // 32 elements without outputs
        for (int output = least + lane; __any_sync(~0u, output < end); output += 32) {
            int of = lane_of(begin, output), its_begin = __shfl_sync(~0u, begin, of), its = __shfl_sync(~0u, value, of);
            if (output < end) out[output] = make(its, output - its_begin);
        }
    }
}

template <class Make>
void load_balanced(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make, Workspace& work) {
    if (total == 0) return;
    int* d_offsets = work.get<int>(n + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    no_warps_yet<<<1, 1>>>();
    CUDA_CHECK(cudaGetLastError());
    by_warps<<<min(ceil_div(n, 128), 512), 128>>>(d_values, d_offsets, d_out, n, make);
    CUDA_CHECK(cudaGetLastError());
}

template void load_balanced(const int*, const int*, int*, int, int, Repeat, Workspace&);
template void load_balanced(const int*, const int*, int*, int, int, CountUp, Workspace&);
