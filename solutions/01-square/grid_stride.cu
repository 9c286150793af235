// Task 3, grid_stride: as 2, but with only as many blocks as the device runs at once; each thread loops in steps of the
// whole grid.
#include "resident_blocks.cuh"
#include "square.h"

// Launch: kBlocksPerSm blocks of kBlock threads for each SM, no more than n needs.
// __restrict__ promises that the arrays do not overlap: the next pass's load need not wait for this pass's store.
__global__ void grid_stride_kernel(const float* __restrict__ d_in, float* __restrict__ d_out, int n) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) d_out[i] = d_in[i] * d_in[i];
}

void grid_stride(const float* d_in, float* d_out, int n) {
    grid_stride_kernel<<<blocks_for(n), kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
