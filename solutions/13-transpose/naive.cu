// Task 1, naive: a thread for each element. Neighbouring lanes load neighbours, but store a whole row apart.
#include "transpose.h"

constexpr int kBlockX = 32, kBlockY = 8;

// Launch: blocks of kBlockX x kBlockY threads, one thread for each element.
__global__ void naive_kernel(const float* d_in, float* d_out, int side) {
    int column = blockIdx.x * kBlockX + threadIdx.x, row = blockIdx.y * kBlockY + threadIdx.y;
    if (row < side && column < side) d_out[column * side + row] = d_in[row * side + column];
}

void naive(const float* d_in, float* d_out, int side) {
    if (side == 0) return;
    dim3 grid(ceil_div(side, kBlockX), ceil_div(side, kBlockY));
    naive_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}
