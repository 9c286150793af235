// Task 4, swizzled: as 3, without the unused column. Element x of row y lies at place x ^ y of its row: each row is
// permuted in another way, so a column has each of its elements in another bank.
#include "transpose.h"

constexpr int kTile = 32;   // a power of two, so that x ^ y stays below it
constexpr int kBlockY = 8;  // a thread has kTile / kBlockY elements of its column

// Launch: a block of kTile x kBlockY threads for each tile. Shared memory: the tile.
__global__ void swizzled_kernel(const float* d_in, float* d_out, int side) {
    __shared__ float s_tile[kTile][kTile];
    int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
    for (int y = threadIdx.y; y < kTile; y += kBlockY) {
        int row = top + y, column = left + threadIdx.x;
        if (row < side && column < side) s_tile[y][threadIdx.x ^ y] = d_in[row * side + column];
    }
    __syncthreads();
    for (int x = threadIdx.y; x < kTile; x += kBlockY) {
        int row = top + threadIdx.x, column = left + x;
        if (row < side && column < side) d_out[column * side + row] = s_tile[threadIdx.x][x ^ threadIdx.x];
    }
}

void swizzled(const float* d_in, float* d_out, int side) {
    if (side == 0) return;
    dim3 grid(ceil_div(side, kTile), ceil_div(side, kTile));
    swizzled_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}
