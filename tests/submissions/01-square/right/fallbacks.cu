// Style: tries what may fail, looks at the error, clears it and falls back: large blocks, much shared memory.
#include "square.h"

__global__ void square(const float* in, float* out, int n) {
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = in[i];
    out[i] = s[threadIdx.x] * s[threadIdx.x];
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    for (int threads = 2048; threads >= 32; threads /= 2) {
        square<<<ceil_div(n, threads), threads, threads * sizeof(float)>>>(d_in, d_out, n);
        cudaError_t error = cudaGetLastError();
        if (error == cudaSuccess) return;
        if (error != cudaErrorInvalidConfiguration) throw CudaError(error, "square", __FILE__, __LINE__);
    }
}

void grid_stride(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    int bytes = 1 << 20;
    while (cudaFuncSetAttribute(square, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) {
        cudaGetLastError();
        bytes /= 2;
    }
    square<<<ceil_div(n, 1024), 1024, 4096>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
