// Style: rows of the tile are rotated instead of permuted by exclusive or; a block of 1,024 threads
#include "transpose.h"

__device__ __forceinline__ int slot(int y, int x) { return 32 * y + (x + y) % 32; }

__global__ void __launch_bounds__(1024) rotate_rows(const float* in, float* out, int side) {
    __shared__ float s[1024];
    int x = 32 * blockIdx.x + threadIdx.x, y = 32 * blockIdx.y + threadIdx.y;
    if (x < side && y < side) s[slot(threadIdx.y, threadIdx.x)] = in[y * side + x];
    __syncthreads();
    x = 32 * blockIdx.y + threadIdx.x, y = 32 * blockIdx.x + threadIdx.y;
    if (x < side && y < side) out[y * side + x] = s[slot(threadIdx.x, threadIdx.y)];
}

void swizzled(const float* d_in, float* d_out, int side) {
    if (int blocks = ceil_div(side, 32)) rotate_rows<<<dim3(blocks, blocks), dim3(32, 32)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}
