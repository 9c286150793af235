// verdict: CHECK task=grid_stride max_n=5000
// because: read d_in at index 0, just past its end
// <= where < belongs: one element too many.
#include "square.h"

__global__ void grid_stride_kernel(const float* d_in, float* d_out, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += stride) d_out[i] = d_in[i] * d_in[i];
}

void grid_stride(const float* d_in, float* d_out, int n) {
    grid_stride_kernel<<<16, 256>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
