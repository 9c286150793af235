// verdict: WA task=separable max_n=6000
// because: right inside, wrong only in the outermost
// The second pass takes all rows outside the image for zero.
#include "convolution.h"

__device__ int source(int i, int length, Border border) {
    if (0 <= i && i < length) return i;
    if (border == Border::clamp) return i < 0 ? 0 : length - 1;
    if (border == Border::wrap) return (i % length + length) % length;
    return -1;
}

__constant__ float c_row[kMaxSize], c_column[kMaxSize];

__global__ void row_pass(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int i = -radius; i <= radius; ++i) {
        int column = source(x - i, width, border);
        if (column >= 0) sum += c_row[i + radius] * d_in[y * width + column];
    }
    d_out[y * width + x] = sum;
}

__global__ void column_pass(const float* d_in, float* d_out, int width, int height, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = -radius; j <= radius; ++j) {
        int row = y - j;
        if (0 <= row && row < height) sum += c_column[j + radius] * d_in[row * width + x];
    }
    d_out[y * width + x] = sum;
}

void separable(const float* d_in, float* d_out, int width, int height, const float* d_row, const float* d_column,
               int radius, Border border, Workspace& work) {
    if (width == 0 || height == 0) return;
    std::size_t bytes = (2 * radius + 1) * sizeof(float);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_row, d_row, bytes, 0, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_column, d_column, bytes, 0, cudaMemcpyDeviceToDevice));
    float* d_rows = work.get<float>(static_cast<std::size_t>(width) * height);
    dim3 block(32, 8), grid(ceil_div(width, 32), ceil_div(height, 8));
    row_pass<<<grid, block>>>(d_in, d_rows, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
    column_pass<<<grid, block>>>(d_rows, d_out, width, height, radius);
    CUDA_CHECK(cudaGetLastError());
}
