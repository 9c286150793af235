// verdict: WA or CHECK task=shared_tile max_n=6000
// because: had left the kernel, at early_return.cu
// Threads right of the image leave, and with them the pixels that they were to load.
#include "convolution.h"

__device__ int source(int i, int length, Border border) {
    if (0 <= i && i < length) return i;
    if (border == Border::clamp) return i < 0 ? 0 : length - 1;
    if (border == Border::wrap) return (i % length + length) % length;
    return -1;
}

constexpr int kTile = 32, kRows = 8;

__constant__ float c_filter[kMaxSize * kMaxSize];

__global__ void shared_tile_kernel(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    __shared__ float s_tile[kTile + 2 * kMaxRadius][kTile + 2 * kMaxRadius];
    int left = blockIdx.x * kTile, top = blockIdx.y * kTile, side = kTile + 2 * radius, size = 2 * radius + 1;
    int x = left + threadIdx.x;
    if (x >= width) return;
    for (int ty = threadIdx.y; ty < side; ty += kRows) {
        for (int tx = threadIdx.x; tx < side; tx += kTile) {
            int row = source(top + ty - radius, height, border), column = source(left + tx - radius, width, border);
            s_tile[ty][tx] = row < 0 || column < 0 ? 0.0f : d_in[row * width + column];
        }
    }
    __syncthreads();
    for (int ty = threadIdx.y; ty < kTile; ty += kRows) {
        float sum = 0;
        for (int j = 0; j < size; ++j) {
            for (int i = 0; i < size; ++i)
                sum += c_filter[j * size + i] * s_tile[ty + 2 * radius - j][threadIdx.x + 2 * radius - i];
        }
        if (x < width && top + ty < height) d_out[(top + ty) * width + x] = sum;
    }
}

void shared_tile(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                 Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    std::size_t count = (2 * radius + 1) * (2 * radius + 1);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_filter, d_filter, count * sizeof(float), 0, cudaMemcpyDeviceToDevice));
    dim3 grid(ceil_div(width, kTile), ceil_div(height, kTile));
    shared_tile_kernel<<<grid, dim3(kTile, kRows)>>>(d_in, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}
