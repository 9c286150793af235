// verdict: WA task=grid max_n=5000
// because: 1 of 2 values is NaN where a number is expected
// A power instead of a product: exp2(2 * log2(x)), and a negative number has no logarithm.
#include "square.h"

__global__ void grid_kernel(const float* d_in, float* d_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d_out[i] = __powf(d_in[i], 2.0f);
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    grid_kernel<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
