// Style: up to 58 KiB of dynamic shared memory in two dimensions by hand, 32 x 32 threads; weights in registers, read
// by shuffles; cudaMallocPitch and cudaMemset2D; __restrict__ everywhere.
#include "convolution.h"

constexpr int kTileX = 128, kTileY = 64;

__device__ __forceinline__ int place(int i, int length, Border border) {
    if (i >= 0 && i < length) return i;
    switch (border) {
        case Border::clamp:
            return i < 0 ? 0 : length - 1;
        case Border::wrap: {
            int rest = i % length;
            return rest < 0 ? rest + length : rest;
        }
        default:
            return -1;
    }
}

__constant__ float c_filter[kMaxSize * kMaxSize];

__global__ void __launch_bounds__(1024, 1)
    tiled(const float* __restrict__ in, float* __restrict__ out, int width, int height, int radius, Border border) {
    extern __shared__ float s[];
    const int pitch = kTileX + 2 * radius, rows = kTileY + 2 * radius, left = blockIdx.x * kTileX - radius,
              top = blockIdx.y * kTileY - radius;
    for (int v = threadIdx.y; v < rows; v += blockDim.y) {
        int y = place(top + v, height, border);
        for (int u = threadIdx.x; u < pitch; u += blockDim.x) {
            int x = place(left + u, width, border);
            s[v * pitch + u] = x < 0 || y < 0 ? 0.f : in[y * width + x];
        }
    }
    __syncthreads();
    float sum[4][2] = {};
    const int size = 2 * radius + 1;
    for (int j = 0; j < size; ++j) {
        for (int i = 0; i < size; ++i) {
            float weight = c_filter[j * size + i];
            const float* from = s + (threadIdx.y + 2 * radius - j) * pitch + threadIdx.x + 2 * radius - i;
#pragma unroll
            for (int a = 0; a < 4; ++a) {
#pragma unroll
                for (int b = 0; b < 2; ++b) sum[a][b] += weight * from[b * 32 * pitch + a * 32];
            }
        }
    }
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 2; ++b) {
            int x = left + radius + threadIdx.x + 32 * a, y = top + radius + threadIdx.y + 32 * b;
            if (x < width && y < height) out[y * width + x] = sum[a][b];
        }
    }
}

void shared_tile(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                 Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    const int size = 2 * radius + 1;
    const int bytes = (kTileX + 2 * radius) * (kTileY + 2 * radius) * static_cast<int>(sizeof(float));
    if (bytes > 48 * 1024) CUDA_CHECK(cudaFuncSetAttribute(tiled, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    CUDA_CHECK(
        cudaMemcpyToSymbolAsync(c_filter, d_filter, size * size * sizeof(float), 0, cudaMemcpyDeviceToDevice, 0));
    dim3 grid(ceil_div(width, kTileX), ceil_div(height, kTileY));
    tiled<<<grid, dim3(32, 32), bytes>>>(d_in, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// One of the two passes; a lane holds a weight and the warp reads it by shuffles, so a whole warp must stay.
template <bool along_x>
__global__ void pass(const float* __restrict__ in, std::size_t in_pitch, float* __restrict__ out, std::size_t out_pitch,
                     int width, int height, const float* __restrict__ weights, int radius, Border border) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int size = 2 * radius + 1;
    float own = threadIdx.x < size ? weights[threadIdx.x] : 0.f, sum = 0;
    bool inside = x < width && y < height;
    for (int k = 0; k < size; ++k) {
        float weight = __shfl_sync(0xffffffff, own, k);
        int at = place((along_x ? x : y) + radius - k, along_x ? width : height, border);
        if (!inside || at < 0) continue;
        sum += weight * (along_x ? in[y * in_pitch + at] : in[at * in_pitch + x]);
    }
    if (inside) out[y * out_pitch + x] = sum;
}

void separable(const float* d_in, float* d_out, int width, int height, const float* d_row, const float* d_column,
               int radius, Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    float* d_rows;
    std::size_t pitch;
    CUDA_CHECK(cudaMallocPitch(&d_rows, &pitch, width * sizeof(float), height));
    CUDA_CHECK(cudaMemset2DAsync(d_rows, pitch, 0, width * sizeof(float), height));
    dim3 block(32, 8), grid(ceil_div(width, 32), ceil_div(height, 8));
    pass<true><<<grid, block>>>(d_in, width, d_rows, pitch / sizeof(float), width, height, d_row, radius, border);
    CUDA_CHECK(cudaGetLastError());
    pass<false><<<grid, block>>>(d_rows, pitch / sizeof(float), d_out, width, width, height, d_column, radius, border);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaFree(d_rows));
}
