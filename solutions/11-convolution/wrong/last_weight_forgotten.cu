// verdict: WA task=naive max_n=6000
// because: wrong from n = 1 on (wrap)
// i < radius: leaves out one weight of each row.
#include "convolution.h"

__device__ int source(int i, int length, Border border) {
    if (0 <= i && i < length) return i;
    if (border == Border::clamp) return i < 0 ? 0 : length - 1;
    if (border == Border::wrap) return (i % length + length) % length;
    return -1;
}

__global__ void naive_kernel(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                             Border border) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = -radius; j <= radius; ++j) {
        int row = source(y - j, height, border);
        for (int i = -radius; i < radius || i == 0; ++i) {
            int column = source(x - i, width, border);
            float weight = d_filter[(j + radius) * (2 * radius + 1) + i + radius];
            if (row >= 0 && column >= 0) sum += weight * d_in[row * width + column];
        }
    }
    d_out[y * width + x] = sum;
}

void naive(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius, Border border,
           Workspace&) {
    if (width == 0 || height == 0) return;
    dim3 block(32, 8), grid(ceil_div(width, 32), ceil_div(height, 8));
    naive_kernel<<<grid, block>>>(d_in, d_out, width, height, d_filter, radius, border);
    CUDA_CHECK(cudaGetLastError());
}
