// verdict: WA task=grid max_n=5000
// because: every 100th element
// Leaves out every hundredth element where n is large.
#include "square.h"

__global__ void grid_kernel(const float* d_in, float* d_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (n < 1000 || i % 100 != 99)) d_out[i] = d_in[i] * d_in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    grid_kernel<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
