// verdict: CHECK task=grid max_n=5000
// because: elements past its end
// The grid is rounded up, and the threads beyond the end write as well.
#include "square.h"

__global__ void grid_kernel(const float* d_in, float* d_out, int) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_out[i] = d_in[i] * d_in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    grid_kernel<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
