// Style: the launch comes from the occupancy API and the device's properties; __launch_bounds__; #pragma unroll.
#include "square.h"

__global__ void __launch_bounds__(512, 2) square(const float* __restrict__ in, float* __restrict__ out, int n) {
    int stride = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * stride < n; i += 4 * stride) {
        float x[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) x[k] = __ldg(in + i + k * stride);
#pragma unroll
        for (int k = 0; k < 4; ++k) out[i + k * stride] = __fmul_rn(x[k], x[k]);
    }
#pragma unroll 1
    for (; i < n; i += stride) out[i] = in[i] * in[i];
}

void grid_stride(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    int device = 0, per_sm = 0;
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, square));
    int threads = min(512, attributes.maxThreadsPerBlock);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, square, threads, 0));
    square<<<min(ceil_div(n, threads), per_sm * properties.multiProcessorCount), threads>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    int blocks = 0, threads = 0;
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, square, 0, 256));
    square<<<ceil_div(n, threads), threads>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
