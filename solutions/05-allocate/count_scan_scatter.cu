// Task 2, count_scan_scatter: as 1, but without slots. Triangles are clipped twice: first only to count them, and, when
// the scan has computed where they go, to write each one to its place.
// Global memory: each triangle read twice, the second time only if it has outputs; a count and an offset for each.
#include "allocate.h"

constexpr int kBlock = 256;

// Launch: a thread for each triangle.
__global__ void count(const Triangle* d_in, int* d_counts, int n, Window window) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    Polygon polygon;
    d_counts[i] = clip(d_in[i], window, polygon);
}

// Launch: as above. d_offsets[i]: how many triangles come before those of triangle i.
__global__ void scatter(const Triangle* d_in, const int* d_offsets, Triangle* d_out, int* d_count, int n,
                        Window window) {
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
