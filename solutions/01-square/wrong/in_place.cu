// verdict: WA task=grid max_n=5000
// because: d_in is not what it was before the call
// Squares the input where it is, and copies it.
#include "square.h"

__global__ void grid_kernel(float* d_in, float* d_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d_in[i] *= d_in[i];
    if (i < n) d_out[i] = d_in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    grid_kernel<<<ceil_div(n, 256), 256>>>(const_cast<float*>(d_in), d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
