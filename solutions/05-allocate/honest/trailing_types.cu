// Style: the solution with static kernels and trailing return types.
#include "allocate.h"
constexpr int kBlock = 256;

static __global__ auto count(const Triangle* d_in, int* d_counts, int n, Window window) -> void {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    Polygon polygon;
    d_counts[i] = clip(d_in[i], window, polygon);
}

static __global__ auto scatter(const Triangle* d_in, const int* d_offsets, Triangle* d_out, int* d_count, int n,
                               Window window) -> void {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i == 0) *d_count = d_offsets[n];
    if (i >= n || d_offsets[i] == d_offsets[i + 1]) return;  // nothing to write: not even read
    Polygon polygon;
    int count = clip(d_in[i], window, polygon);
    for (int k = 0; k < count; ++k) d_out[d_offsets[i] + k] = fan(polygon, k);
}

void count_scan_scatter(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
    int* d_counts = work.get<int>(n);
    int* d_offsets = work.get<int>(n + 1);
    count<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_counts, n, window);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    scatter<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_offsets, d_out, d_count, n, window);
    CUDA_CHECK(cudaGetLastError());
}
