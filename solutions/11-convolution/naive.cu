// Task 1, naive: a thread for each pixel reads all of its neighbours, and all weights, from global memory.
#include "border.cuh"
#include "convolution.h"

// A warp for each of kBlockY rows: neighbouring lanes read neighbouring pixels.
constexpr int kBlockX = 32, kBlockY = 8;

// Launch: a thread for each pixel, blocks of kBlockX x kBlockY.
__global__ void naive_kernel(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                             Border border) {
    int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = -radius; j <= radius; ++j) {
        int row = source(y - j, height, border);
        for (int i = -radius; i <= radius; ++i) {
            int column = source(x - i, width, border);
            float weight = *d_filter++;
            if (row >= 0 && column >= 0) sum += weight * d_in[row * width + column];
        }
    }
    d_out[y * width + x] = sum;
}

void naive(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius, Border border,
           Workspace&) {
    if (width == 0 || height == 0) return;
    dim3 grid(ceil_div(width, kBlockX), ceil_div(height, kBlockY));
    naive_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_in, d_out, width, height, d_filter, radius, border);
    CUDA_CHECK(cudaGetLastError());
}
