// verdict: WA task=count_scan_scatter max_n=5000
// because: in places that are not theirs: the order is lost
// A counter hands out places, and saves the first pass: in the order in which threads come.
#include "allocate.h"

constexpr int kBlock = 256;

// Launch: a thread for each triangle.
__global__ void clip_and_append(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    Polygon polygon;
    int count = clip(d_in[i], window, polygon);
    int first = atomicAdd(d_count, count);
    for (int k = 0; k < count; ++k) d_out[first + k] = fan(polygon, k);
}

void count_scan_scatter(const Triangle* d_in, Triangle* d_out, int* d_count, int n, Window window, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
    if (n == 0) return;
    clip_and_append<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_out, d_count, n, window);
    CUDA_CHECK(cudaGetLastError());
}
