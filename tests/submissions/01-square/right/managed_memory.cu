// Style: managed memory, which host and device both read and write.
#include <cstring>

#include "square.h"

__global__ void square(float* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= x[i];
}

void one_block(const float* h_in, float* h_out, int n) {
    if (n == 0) return;
    float* x;
    CUDA_CHECK(cudaMallocManaged(&x, n * sizeof(float)));
    std::memcpy(x, h_in, n * sizeof(float));
    square<<<1, 256>>>(x, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    std::memcpy(h_out, x, n * sizeof(float));
    CUDA_CHECK(cudaFree(x));
}
