// Task 1, all_pairs: a thread for each point, which looks at all points. It also meets itself, at distance 0.
// Work: n * n distances. Global memory: a warp's 32 lanes read the same point at a time, a sector for each.
#include "near.cuh"

constexpr int kBlock = 256;

// Launch: a thread for each point.
__global__ void all_pairs_kernel(const Point* d_points, int* d_counts, int n, long long square) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    Point own = d_points[i];
    int count = 0;
    for (int j = 0; j < n; ++j)
        if (are_near(own, d_points[j], square)) ++count;
    d_counts[i] = count - 1;  // not itself
}

void all_pairs(const Point* d_points, int* d_counts, int n, int radius) {
    if (n == 0) return;
    all_pairs_kernel<<<ceil_div(n, kBlock), kBlock>>>(d_points, d_counts, n, square_of(radius));
    CUDA_CHECK(cudaGetLastError());
}
