// verdict: WA task=grid max_n=5000
// because: wrong from n = 257 on
// n / 256 blocks: the rest of the division is lost.
#include <algorithm>

#include "square.h"

__global__ void grid_kernel(const float* d_in, float* d_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d_out[i] = d_in[i] * d_in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    grid_kernel<<<std::max(n / 256, 1), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
