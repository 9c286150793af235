// verdict: WA or RTE or CHECK task=naive max_n=6000
// because: read outside an array in global memory
// Reads whatever lies beside the row, and before the first one.
#include "convolution.h"

__global__ void naive_kernel(const float* d_in, float* d_out, int width, int height, const float* d_filter,
                             int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = -radius; j <= radius; ++j) {
        for (int i = -radius; i <= radius; ++i)
            sum += d_filter[(j + radius) * (2 * radius + 1) + i + radius] * d_in[(y - j) * width + x - i];
    }
    d_out[y * width + x] = sum;
}

void naive(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius, Border,
           Workspace&) {
    if (width == 0 || height == 0) return;
    dim3 block(32, 8), grid(ceil_div(width, 32), ceil_div(height, 8));
    naive_kernel<<<grid, block>>>(d_in, d_out, width, height, d_filter, radius);
    CUDA_CHECK(cudaGetLastError());
}
