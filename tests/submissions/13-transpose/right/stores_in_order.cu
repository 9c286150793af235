// Style: the thread's index is that of the output; __ldg for the loads that are not in order; a square block of threads
#include "transpose.h"

namespace {
constexpr unsigned SIDE = 32;
}

__global__ void gather(const float* __restrict__ in, float* __restrict__ out, unsigned side) {
    const unsigned x = blockIdx.x * SIDE + threadIdx.x;
    const unsigned y = blockIdx.y * SIDE + threadIdx.y;
    if (x >= side || y >= side) return;
    out[y * side + x] = __ldg(&in[x * side + y]);
}

__global__ void turn_tile(const float* __restrict__ in, float* __restrict__ out, unsigned side) {
    __shared__ float cache[SIDE][SIDE];
    unsigned x = blockIdx.y * SIDE + threadIdx.x;
    unsigned y = blockIdx.x * SIDE + threadIdx.y;
    if (x < side && y < side) cache[threadIdx.y][threadIdx.x] = in[y * side + x];
    __syncthreads();
    x = blockIdx.x * SIDE + threadIdx.x;
    y = blockIdx.y * SIDE + threadIdx.y;
    if (x < side && y < side) out[y * side + x] = cache[threadIdx.x][threadIdx.y];
}

void naive(const float* d_in, float* d_out, int side) {
    const unsigned blocks = ceil_div<unsigned>(side, SIDE);
    if (blocks == 0) return;
    gather<<<dim3(blocks, blocks), dim3(SIDE, SIDE)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

void tile(const float* d_in, float* d_out, int side) {
    const unsigned blocks = ceil_div<unsigned>(side, SIDE);
    if (blocks == 0) return;
    turn_tile<<<dim3(blocks, blocks), dim3(SIDE, SIDE)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}
