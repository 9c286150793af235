// verdict: WA task=grid max_n=5000
// because: from the second block on
// Every block squares the elements of block 0.
#include "square.h"

__global__ void grid_kernel(const float* d_in, float* d_out, int n) {
    int i = threadIdx.x;
    if (i < n) d_out[i] = d_in[i] * d_in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    grid_kernel<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
