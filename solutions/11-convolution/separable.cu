// Task 4, separable: as 3, but the filter is a row times a column, so that two passes of 2 radius + 1 products each
// replace (2 radius + 1)^2. In each pass, a tile has a halo on two sides only. It is long in that direction, so that
// the halo is a small part of what it loads.
#include "border.cuh"
#include "convolution.h"

constexpr int kBlockX = 32, kBlockY = 8;
constexpr int kRowTile = 4 * kBlockX, kColumnTile = 8 * kBlockY;

__constant__ float c_row[kMaxSize], c_column[kMaxSize];

// Launch: a block of kBlockX x kBlockY threads for each kRowTile x kBlockY pixels. Shared memory: tile and halo.
__global__ void row_pass(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    __shared__ float s_rows[kBlockY][kRowTile + 2 * kMaxRadius];
    int left = blockIdx.x * kRowTile, y = blockIdx.y * kBlockY + threadIdx.y;
    if (y >= height) return;  // the whole warp: it has one row, which no other warp reads
    float* s_row = s_rows[threadIdx.y];
    for (int tx = threadIdx.x; tx < kRowTile + 2 * radius; tx += kBlockX)
        s_row[tx] = pixel(d_in, left + tx - radius, y, width, height, border);
    __syncwarp();
    float sum[kRowTile / kBlockX] = {};
    for (int i = 0; i <= 2 * radius; ++i) {
        for (int k = 0; k < kRowTile / kBlockX; ++k)
            sum[k] += c_row[i] * s_row[threadIdx.x + k * kBlockX + 2 * radius - i];
    }
    for (int k = 0; k < kRowTile / kBlockX; ++k) {
        int x = left + threadIdx.x + k * kBlockX;
        if (x < width) d_out[y * width + x] = sum[k];
    }
}

// Launch: as row_pass, for each kBlockX x kColumnTile pixels.
__global__ void column_pass(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    __shared__ float s_columns[kColumnTile + 2 * kMaxRadius][kBlockX];
    int x = blockIdx.x * kBlockX + threadIdx.x, top = blockIdx.y * kColumnTile;
    for (int ty = threadIdx.y; ty < kColumnTile + 2 * radius; ty += kBlockY)
        s_columns[ty][threadIdx.x] = pixel(d_in, x, top + ty - radius, width, height, border);
    __syncthreads();
    float sum[kColumnTile / kBlockY] = {};
    for (int j = 0; j <= 2 * radius; ++j) {
        for (int k = 0; k < kColumnTile / kBlockY; ++k)
            sum[k] += c_column[j] * s_columns[threadIdx.y + k * kBlockY + 2 * radius - j][threadIdx.x];
    }
    for (int k = 0; k < kColumnTile / kBlockY; ++k) {
        int y = top + threadIdx.y + k * kBlockY;
        if (x < width && y < height) d_out[y * width + x] = sum[k];
    }
}

void separable(const float* d_in, float* d_out, int width, int height, const float* d_row, const float* d_column,
               int radius, Border border, Workspace& work) {
    if (width == 0 || height == 0) return;
    std::size_t bytes = (2 * radius + 1) * sizeof(float);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_row, d_row, bytes, 0, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_column, d_column, bytes, 0, cudaMemcpyDeviceToDevice));
    float* d_rows = work.get<float>(static_cast<std::size_t>(width) * height);
    dim3 block(kBlockX, kBlockY);
    dim3 row_grid(ceil_div(width, kRowTile), ceil_div(height, kBlockY));
    row_pass<<<row_grid, block>>>(d_in, d_rows, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
    dim3 column_grid(ceil_div(width, kBlockX), ceil_div(height, kColumnTile));
    column_pass<<<column_grid, block>>>(d_rows, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}
