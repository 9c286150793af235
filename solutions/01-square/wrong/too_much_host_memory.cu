// verdict: MLE task=one_block max_n=5000 seconds=60
// because: it took more than 4,096 MB of memory
// Keeps a copy of everything for ever.
#include <vector>

#include "square.h"

__global__ void one_block_kernel(const float* d_in, float* d_out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) d_out[i] = d_in[i] * d_in[i];
}

std::vector<std::vector<float>> copies;

void one_block(const float* h_in, float* h_out, int n) {
    while (n > 0) copies.emplace_back(1 << 22, h_in[0]);
    std::size_t bytes = n * sizeof(float);
    float *d_in = nullptr, *d_out = nullptr;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));
    one_block_kernel<<<1, 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
}
