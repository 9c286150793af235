// As in a first program from a book: allocate, copy, launch, copy back.
#include "square.h"
__global__ void square_all(const float* a, float* b, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) b[i] = a[i] * a[i];
}
void one_block(const float* h_in, float* h_out, int n) {
    float* d_in;
    float* d_out;
    CUDA_CHECK(cudaMalloc((void**)&d_in, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void**)&d_out, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_in, h_in, n * sizeof(float), cudaMemcpyHostToDevice));
    square_all<<<1, 512>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h_out, d_in, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
}
