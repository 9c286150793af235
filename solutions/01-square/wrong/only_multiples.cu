// verdict: WA task=grid_stride max_n=5000
// because: at n = 33: 1 of 33 values is wrong, all in block 1: the last, partly filled block
// Every thread takes n / threads elements: right where nothing is left over.
#include "square.h"

__global__ void grid_stride_kernel(const float* d_in, float* d_out, int n) {
    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n / stride; ++k)
        d_out[first + k * stride] = d_in[first + k * stride] * d_in[first + k * stride];
}

void grid_stride(const float* d_in, float* d_out, int n) {
    grid_stride_kernel<<<1, 32>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
