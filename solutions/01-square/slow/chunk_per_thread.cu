// verdict: SLOW task=grid_stride
// because: 32.0 sectors a request where 4.0 would do
// Every thread takes 32 neighbours: a warp reads 32 places that are 128 bytes apart.
#include "square.h"

constexpr int kChunk = 32;

__global__ void grid_stride_kernel(const float* d_in, float* d_out, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * kChunk;
    for (int i = first; i < first + kChunk && i < n; ++i) d_out[i] = d_in[i] * d_in[i];
}

void grid_stride(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    grid_stride_kernel<<<ceil_div(n, 256 * kChunk), 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
