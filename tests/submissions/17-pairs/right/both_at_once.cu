// Style: each pair is looked at once, by a thread of a grid of two dimensions; atomics count it for both points
#include "pairs.h"

__global__ void count_both(const Point* points, int* counts, int n, long long reach) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n || i <= j) return;
    const long long dx = llabs(1LL * points[i].x - points[j].x), dy = llabs(1LL * points[i].y - points[j].y);
    if (dx * dx + dy * dy > reach * reach) return;
    atomicAdd(counts + i, 1);
    atomicAdd(counts + j, 1);
}

void all_pairs(const Point* d_points, int* d_counts, int n, int radius) {
    if (n == 0) return;
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, n * sizeof *d_counts));
    const dim3 block(32, 8), grid(ceil_div(n, 32), ceil_div(n, 8));
    count_both<<<grid, block>>>(d_points, d_counts, n, radius);
    CUDA_CHECK(cudaGetLastError());
}
