// Task 3, padded: as 2, but rows of the tile are 33 words apart. The 32 lanes of a warp that read a column need 32
// different banks; 32 words apart, all of them needed the same one.
#include "transpose.h"

constexpr int kTile = 32;
constexpr int kBlockY = 8;  // a thread has kTile / kBlockY elements of its column

// Launch: a block of kTile x kBlockY threads for each tile. Shared memory: the tile and an unused column.
__global__ void padded_kernel(const float* d_in, float* d_out, int side) {
    __shared__ float s_tile[kTile][kTile + 1];
    int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
    for (int y = threadIdx.y; y < kTile; y += kBlockY) {
        int row = top + y, column = left + threadIdx.x;
        if (row < side && column < side) s_tile[y][threadIdx.x] = d_in[row * side + column];
    }
    __syncthreads();
    for (int x = threadIdx.y; x < kTile; x += kBlockY) {
        int row = top + threadIdx.x, column = left + x;
        if (row < side && column < side) d_out[column * side + row] = s_tile[threadIdx.x][x];
    }
}

void padded(const float* d_in, float* d_out, int side) {
    if (side == 0) return;
    dim3 grid(ceil_div(side, kTile), ceil_div(side, kTile));
    padded_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}
