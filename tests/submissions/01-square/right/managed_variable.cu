// Style: a __managed__ variable, set by the host and read by the kernel.
#include "square.h"

__managed__ int length;

__global__ void square(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) out[i] = in[i] * in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    CUDA_CHECK(cudaDeviceSynchronize());
    length = n;
    square<<<ceil_div(n, 256), 256>>>(d_in, d_out);
    CUDA_CHECK(cudaGetLastError());
}
