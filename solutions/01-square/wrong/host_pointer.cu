// verdict: RTE task=one_block max_n=5000
// because: pointer to host memory
// Hands the kernel pointers to host memory.
#include "square.h"

__global__ void one_block_kernel(const float* d_in, float* d_out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) d_out[i] = d_in[i] * d_in[i];
}

void one_block(const float* h_in, float* h_out, int n) {
    one_block_kernel<<<1, 256>>>(h_in, h_out, n);
    CUDA_CHECK(cudaDeviceSynchronize());
}
