// verdict: SLOW task=grid
// because: grid_kernel, 100 % of the kernels' time, limited by latency
// Task 1's launch: one SM works, the others watch.
#include "square.h"

__global__ void grid_kernel(const float* d_in, float* d_out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) d_out[i] = d_in[i] * d_in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    grid_kernel<<<1, 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
