// Task 2, tiled: as 1, but the block loads kBlock points at a time into shared memory, each thread one of them, and all
// its threads look at them there. A tile is always full: absent points are farther away than any radius reaches, so
// that the inner loop has a constant number of steps. Work: as 1. Global memory: each block reads each point once.
#include "near.cuh"

constexpr int kBlock = 256;
constexpr int kNowhere = 1 << 30;  // differences from here still fit into an int

// Launch: a thread for each point. Shared memory: a tile of kBlock points.
__global__ void tiled_kernel(const Point* d_points, int* d_counts, int n, long long square) {
    __shared__ Point s_tile[kBlock];
    int i = blockIdx.x * kBlock + threadIdx.x;
    Point own = d_points[min(i, n - 1)];  // threads beyond the last point stay, too: they help to load
    int count = 0;
    for (int first = 0; first < n; first += kBlock) {
        int j = first + threadIdx.x;
        s_tile[threadIdx.x] = j < n ? d_points[j] : Point{kNowhere, kNowhere};
        __syncthreads();  // the tile is there
        for (int k = 0; k < kBlock; ++k)
            if (are_near(own, s_tile[k], square)) ++count;
        __syncthreads();  // nobody needs it any more
    }
    if (i < n) d_counts[i] = count - 1;
}

void tiled(const Point* d_points, int* d_counts, int n, int radius) {
    if (n == 0) return;
    tiled_kernel<<<ceil_div(n, kBlock), kBlock>>>(d_points, d_counts, n, square_of(radius));
    CUDA_CHECK(cudaGetLastError());
}
