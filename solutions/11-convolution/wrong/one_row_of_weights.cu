// verdict: WA or CHECK task=constant_memory max_n=6000
// because: wrong from n = 1 on (clamp)
// Copies as many weights as one row of the filter has.
#include "convolution.h"

__device__ int source(int i, int length, Border border) {
    if (0 <= i && i < length) return i;
    if (border == Border::clamp) return i < 0 ? 0 : length - 1;
    if (border == Border::wrap) return (i % length + length) % length;
    return -1;
}

__constant__ float c_filter[kMaxSize * kMaxSize];

__global__ void constant_memory_kernel(const float* d_in, float* d_out, int width, int height, int radius,
                                       Border border) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = -radius; j <= radius; ++j) {
        int row = source(y - j, height, border);
        for (int i = -radius; i <= radius; ++i) {
            int column = source(x - i, width, border);
            float weight = c_filter[(j + radius) * (2 * radius + 1) + i + radius];
            if (row >= 0 && column >= 0) sum += weight * d_in[row * width + column];
        }
    }
    d_out[y * width + x] = sum;
}

void constant_memory(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    std::size_t count = 2 * radius + 1;
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_filter, d_filter, count * sizeof(float), 0, cudaMemcpyDeviceToDevice));
    dim3 block(32, 8), grid(ceil_div(width, 32), ceil_div(height, 8));
    constant_memory_kernel<<<grid, block>>>(d_in, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}
