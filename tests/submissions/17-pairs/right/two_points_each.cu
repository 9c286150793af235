// Style: dynamic shared memory, x and y in arrays of their own, two points for each thread, blocks of 96 threads
#include "pairs.h"

__global__ void two_each(const Point* points, int* counts, int n, long long square, int tile) {
    extern __shared__ int shared[];
    int *xs = shared, *ys = shared + tile;
    const int one = 2 * blockIdx.x * blockDim.x + threadIdx.x, two = one + blockDim.x;
    const Point a = one < n ? points[one] : Point{}, b = two < n ? points[two] : Point{};
    int near_a = 0, near_b = 0;
    for (int first = 0; first < n; first += tile) {
        const int size = min(tile, n - first);
        __syncthreads();
        for (int k = threadIdx.x; k < size; k += blockDim.x) {
            xs[k] = points[first + k].x;
            ys[k] = points[first + k].y;
        }
        __syncthreads();
        for (int k = 0; k < size; ++k) {
            const long long ax = xs[k] - a.x, ay = ys[k] - a.y, bx = xs[k] - b.x, by = ys[k] - b.y;
            if (ax * ax + ay * ay <= square) near_a++;
            if (bx * bx + by * by <= square) near_b++;
        }
    }
    if (one < n) counts[one] = near_a - 1;
    if (two < n) counts[two] = near_b - 1;
}

void tiled(const Point* d_points, int* d_counts, int n, int radius) {
    if (n == 0) return;
    const int tile = 400, threads = 96;
    const std::size_t bytes = 2 * tile * sizeof(int);
    two_each<<<ceil_div(n, 2 * threads), threads, bytes>>>(d_points, d_counts, n, 1LL * radius * radius, tile);
    CUDA_CHECK(cudaGetLastError());
}
