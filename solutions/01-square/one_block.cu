// Task 1, one_block: one block of 256 threads does all the work: allocate, copy, launch, copy back, free.
#include "square.h"

constexpr int kBlock = 256;  // threads in a block

// Launch: 1 block of kBlock threads.
__global__ void one_block_kernel(const float* d_in, float* d_out, int n) {
    // Neighbouring threads take neighbouring elements: a warp reads 128 bytes in one piece.
    for (int i = threadIdx.x; i < n; i += blockDim.x) d_out[i] = d_in[i] * d_in[i];
}

void one_block(const float* h_in, float* h_out, int n) {
    const std::size_t bytes = n * sizeof(float);
    float *d_in = nullptr, *d_out = nullptr;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));
    one_block_kernel<<<1, kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    // The copy waits for the kernel: both are on the default stream.
    CUDA_CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
}
