// Style: no search for each output: elements leave marks where they begin. In global memory they are counted by an
// atomic and summed; in shared memory the greatest wins, and a scan by PTX shuffles carries it on; kernels by macro.
#include "allocate.h"

#define GRID_KERNEL(name, ...) __global__ void __launch_bounds__(256) name(__VA_ARGS__)
#define THREAD_OF_GRID (blockIdx.x * blockDim.x + threadIdx.x)

GRID_KERNEL(mark, const int* offsets, int* marks, int n, int total) {
    unsigned i = THREAD_OF_GRID + 1;
    if (i < n && offsets[i] < total) atomicAdd(marks + offsets[i], 1);
}

template <class Make>
GRID_KERNEL(make_all, const int* values, const int* offsets, const int* elements, int* out, int total, Make make) {
    unsigned i = THREAD_OF_GRID;
    if (i >= total) return;
    int element = elements[i];
    out[i] = make(values[element], static_cast<int>(i) - offsets[element]);
}

template <class Make>
void thread_per_output(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make,
                       Workspace& work) {
    if (total == 0) return;
    int *d_offsets = work.get<int>(n + 1), *d_marks = work.get<int>(total);
    CUDA_CHECK(cudaMemsetAsync(d_marks, 0, total * sizeof(int)));
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    mark<<<ceil_div(n, 256), 256>>>(d_offsets, d_marks, n, total);
    CUDA_CHECK(cudaGetLastError());
    primitives::inclusive_sum(d_marks, d_marks, total, work);
    make_all<<<ceil_div(total, 256), 256>>>(d_values, d_offsets, d_marks, d_out, total, make);
    CUDA_CHECK(cudaGetLastError());
}

constexpr int kEach = 4, kTile = 256 * kEach;

__device__ int max_of_lanes_below(int x) {
    for (int step = 1; step < 32; step *= 2) {
        asm volatile(
            "{\n\t.reg .pred p;\n\t.reg .s32 y;\n\t"
            "shfl.sync.up.b32 y|p, %0, %1, 0, 0xffffffff;\n\t"
            "@p max.s32 %0, %0, y;\n\t}"
            : "+r"(x)
            : "r"(step));
    }
    return x;
}

// The last element that begins at or before the output.
__device__ int element_at(const int* offsets, int n, int output) {
    int low = 0, high = n - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        (offsets[middle] <= output ? low : high) = offsets[middle] <= output ? middle : middle - 1;
    }
    return low;
}

template <class Make>
GRID_KERNEL(make_tiles, const int* values, const int* offsets, int* out, int n, int total, Make make) {
    __shared__ int s_element[kTile], s_warp[8], s_ends[2];
    int t = threadIdx.x, lane = t % 32, begin = blockIdx.x * kTile, count = min(kTile, total - begin);
    for (int k = t; k < kTile; k += 256) s_element[k] = -1;
    if (lane == 0 && t < 64) s_ends[t / 32] = element_at(offsets, n, t == 0 ? begin : begin + count - 1);
    __syncthreads();
    if (t == 0) s_element[0] = s_ends[0];
    for (int e = s_ends[0] + 1 + t; e <= s_ends[1]; e += 256)
        if (offsets[e] > begin) atomicMax(&s_element[offsets[e] - begin], e);
    __syncthreads();
    int own = -1;
    for (int k = 0; k < kEach; ++k) own = max(own, s_element[t * kEach + k]);
    own = max_of_lanes_below(own);
    if (lane == 31) s_warp[t / 32] = own;
    int left = __shfl_up_sync(~0u, own, 1);
    __syncthreads();
    left = lane == 0 ? -1 : left;
    for (int w = 0; w < t / 32; ++w) left = max(left, s_warp[w]);
    for (int k = 0; k < kEach; ++k) s_element[t * kEach + k] = left = max(left, s_element[t * kEach + k]);
    __syncthreads();
    for (int k = t; k < count; k += 256) {
        int element = s_element[k];
        out[begin + k] = make(values[element], begin + k - offsets[element]);
    }
}

template <class Make>
void load_balanced(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make, Workspace& work) {
    if (total == 0) return;
    int* d_offsets = work.get<int>(n + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    make_tiles<<<ceil_div(total, kTile), 256>>>(d_values, d_offsets, d_out, n, total, make);
    CUDA_CHECK(cudaGetLastError());
}

#include "grading/instantiations.h"
