// Style: no shared memory: a warp holds a tile of 32 points in its registers, and shuffles show them to all lanes
#include "pairs.h"

__global__ void pass_points(const Point* points, int* counts, int n, long long square) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    const Point own = points[i < n ? i : 0];
    int near = 0;
    for (int first = 0; first < n; first += 32) {
        const Point loaded = points[min(first + lane, n - 1)];
        const int size = min(32, n - first);
        for (int k = 0; k < size; ++k) {
            const long long dx = __shfl_sync(kAllLanes, loaded.x, k) - own.x;
            const long long dy = __shfl_sync(kAllLanes, loaded.y, k) - own.y;
            near += dx * dx + dy * dy <= square ? 1 : 0;
        }
    }
    if (i < n) counts[i] = near - 1;
}

void tiled(const Point* d_points, int* d_counts, int n, int radius) {
    if (n == 0) return;
    pass_points<<<ceil_div(n, 64), 64>>>(d_points, d_counts, n, 1LL * radius * radius);
    CUDA_CHECK(cudaGetLastError());
}
