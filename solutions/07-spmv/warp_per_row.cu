// Task 3, warp_per_row: as 2, but the 32 lanes of a warp share a row: they read neighbouring nonzeros and add up their
// sums by shuffles. A long row takes a 32nd of the time; a row of 5 nonzeros leaves 27 lanes idle.
// (Bell and Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented processors", 2009.)
#include "spmv.h"

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

// Launch: a warp for each row, kWarps in a block.
__global__ void multiply_row_of_warp(Csr a, const float* d_x, float* d_y) {
    int row = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= a.rows) return;  // the whole warp leaves
    int end = a.d_row_ptr[row + 1];
    float sum = 0;
    for (int k = a.d_row_ptr[row] + lane; k < end; k += 32) sum += a.d_values[k] * d_x[a.d_cols[k]];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(kAllLanes, sum, distance);
    if (lane == 0) d_y[row] = sum;
}

void warp_per_row(Csr a, const float* d_x, float* d_y, Workspace&) {
    if (a.rows == 0) return;
    multiply_row_of_warp<<<ceil_div(a.rows, kWarps), kBlock>>>(a, d_x, d_y);
    CUDA_CHECK(cudaGetLastError());
}
