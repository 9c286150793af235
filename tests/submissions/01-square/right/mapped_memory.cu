// Style: mapped host memory ("zero copy"), which the kernel reads and writes over the bus.
#include <cstring>

#include "square.h"

__global__ void square(const float* in, float* out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] * in[i];
}

void one_block(const float* h_in, float* h_out, int n) {
    if (n == 0) return;
    float *h_mapped, *d_mapped;
    CUDA_CHECK(cudaHostAlloc(&h_mapped, 2 * n * sizeof(float), cudaHostAllocMapped));
    std::memcpy(h_mapped, h_in, n * sizeof(float));
    CUDA_CHECK(cudaHostGetDevicePointer(&d_mapped, h_mapped, 0));
    square<<<1, 256>>>(d_mapped, d_mapped + n, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    std::memcpy(h_out, h_mapped + n, n * sizeof(float));
    CUDA_CHECK(cudaFreeHost(h_mapped));
}
