// verdict: WA task=count_scan_scatter max_n=5000
// because: wrong from n = 1 on
// A triangle without a corner inside is taken for one that is not seen.
#include "allocate.h"

constexpr int kBlock = 256;

// Launch: a thread for each triangle.
__global__ void count(const Triangle* d_in, int* d_counts, int n, Window window) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    Polygon polygon;
    bool is_seen = false;
    for (int corner = 0; corner < 3; ++corner) {
        int sides = 0;
        for (int side = 0; side < 4; ++side) sides += depth(d_in[i].corner[corner], window, side) >= 0 ? 1 : 0;
        is_seen = is_seen || sides == 4;
    }
    d_counts[i] = is_seen ? clip(d_in[i], window, polygon) : 0;
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
