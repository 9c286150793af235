// verdict: RTE task=grid max_n=100
// because: invalid configuration argument (at n = 0
// 0 blocks for n = 0.
#include "square.h"

__global__ void grid_kernel(const float* d_in, float* d_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d_out[i] = d_in[i] * d_in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    grid_kernel<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
