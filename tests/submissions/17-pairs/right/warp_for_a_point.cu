// Style: a warp for each point, whose lanes look at every 32nd other; unsigned squares
#include "pairs.h"

__global__ void by_warps(const Point* points, int* counts, int n, unsigned reach) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (warp >= n) return;
    const Point p = points[warp];
    int found = 0;
    for (int j = lane; j < n; j += warpSize) {
        const unsigned dx = abs(points[j].x - p.x), dy = abs(points[j].y - p.y);
        const auto square = [](unsigned side) { return static_cast<unsigned long long>(side) * side; };
        found += j != warp && square(dx) + square(dy) <= square(reach);
    }
    for (int distance = warpSize / 2; distance > 0; distance /= 2) found += __shfl_xor_sync(~0u, found, distance);
    if (lane == 0) counts[warp] = found;
}

void all_pairs(const Point* d_points, int* d_counts, int n, int radius) {
    if (n > 0) by_warps<<<ceil_div(n, 4), 128>>>(d_points, d_counts, n, radius);
    CUDA_CHECK(cudaGetLastError());
}
