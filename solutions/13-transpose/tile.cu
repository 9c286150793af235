// Task 2, tile: as 1, but a block loads a tile row by row into shared memory and stores it column by column, so that
// every row of 32 elements is coalesced on both sides.
#include "transpose.h"

constexpr int kTile = 32;
constexpr int kBlockY = 8;  // a thread has kTile / kBlockY elements of its column

// Launch: a block of kTile x kBlockY threads for each tile. Shared memory: the tile.
__global__ void tile_kernel(const float* d_in, float* d_out, int side) {
    __shared__ float s_tile[kTile][kTile];
    int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
    // Load: threadIdx.x is the column.
    for (int y = threadIdx.y; y < kTile; y += kBlockY) {
        int row = top + y, column = left + threadIdx.x;
        if (row < side && column < side) s_tile[y][threadIdx.x] = d_in[row * side + column];
    }
    __syncthreads();
    // Store: threadIdx.x is the row, which is a column of the output.
    for (int x = threadIdx.y; x < kTile; x += kBlockY) {
        int row = top + threadIdx.x, column = left + x;
        if (row < side && column < side) d_out[column * side + row] = s_tile[threadIdx.x][x];
    }
}

void tile(const float* d_in, float* d_out, int side) {
    if (side == 0) return;
    dim3 grid(ceil_div(side, kTile), ceil_div(side, kTile));
    tile_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}
