// Style: stream-ordered allocation, cudaMallocAsync and cudaFreeAsync.
#include "square.h"

__global__ void square_in_place(float* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= x[i];
}

__global__ void square_to(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

void one_block(const float* h_in, float* h_out, int n) {
    if (n == 0) return;
    float* d_x = nullptr;
    CUDA_CHECK(cudaMallocAsync(&d_x, n * sizeof *d_x, cudaStreamPerThread));
    CUDA_CHECK(cudaMemcpyAsync(d_x, h_in, n * sizeof *d_x, cudaMemcpyHostToDevice, cudaStreamPerThread));
    square_in_place<<<1, 1024, 0, cudaStreamPerThread>>>(d_x, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(h_out, d_x, n * sizeof *d_x, cudaMemcpyDeviceToHost, cudaStreamPerThread));
    CUDA_CHECK(cudaFreeAsync(d_x, cudaStreamPerThread));
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

// A temporary array of its own for each call, in stream order: nothing waits.
void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    float* d_temp = nullptr;
    CUDA_CHECK(cudaMallocAsync(&d_temp, n * sizeof *d_temp, nullptr));
    square_to<<<ceil_div(n, 256), 256>>>(d_in, d_temp, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_temp, n * sizeof *d_temp, cudaMemcpyDefault, nullptr));
    CUDA_CHECK(cudaFreeAsync(d_temp, nullptr));
}
