// Style: CRTP borders and a table of kernels, started by cudaLaunchKernelEx; the __constant__ struct gets its parts by
// cudaMemcpyToSymbolAsync with offsets; the index maps for x are precomputed in shared memory, a row of pixels a block.
#include <cstddef>

#include "convolution.h"

struct Filter {
    int size;
    float weight[kMaxSize * kMaxSize];
};
__constant__ Filter c_filter;

template <class Derived>
struct BorderOf {
    static __device__ int place(int i, int length) {
        return i >= 0 && i < length ? i : static_cast<const Derived*>(nullptr)->outside(i, length);
    }
};
struct Zero : BorderOf<Zero> {
    static __device__ int outside(int, int) { return -1; }
};
struct Clamp : BorderOf<Clamp> {
    static __device__ int outside(int i, int length) { return i < 0 ? 0 : length - 1; }
};
struct Wrap : BorderOf<Wrap> {
    static __device__ int outside(int i, int length) { return (i %= length) < 0 ? i + length : i; }
};

constexpr int kColumns = 128, kRows = 4;

template <class Kind>
__global__ void __launch_bounds__(kColumns* kRows)
    convolve(const float* __restrict__ in, float* __restrict__ out, int width, int height) {
    __shared__ int s_column[kColumns + kMaxSize - 1];
    int radius = c_filter.size / 2, first = blockIdx.x * kColumns - radius, tid = threadIdx.y * kColumns + threadIdx.x;
    for (int k = tid; k < kColumns + 2 * radius; k += kColumns * kRows) s_column[k] = Kind::place(first + k, width);
    __syncthreads();
    int x = blockIdx.x * kColumns + threadIdx.x, y = blockIdx.y * kRows + threadIdx.y;
    if (x >= width) return;
    for (; y < height; y += kRows * gridDim.y) {
        float sum = 0;
        for (int j = 0; j < c_filter.size; ++j) {
            int row = Kind::place(y + radius - j, height);
            if (row < 0) continue;
            const float* pixels = in + static_cast<size_t>(row) * width;
            const float* weights = c_filter.weight + j * c_filter.size;
#pragma unroll 4
            for (int i = 0; i < c_filter.size; ++i) {
                int column = s_column[threadIdx.x + 2 * radius - i];
                sum = fmaf(weights[i], column < 0 ? 0.0f : pixels[column], sum);
            }
        }
        out[static_cast<size_t>(y) * width + x] = sum;
    }
}

void constant_memory(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    const int size = 2 * radius + 1;
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_filter, &size, sizeof size, offsetof(Filter, size), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_filter, d_filter, size * size * sizeof(float), offsetof(Filter, weight),
                                       cudaMemcpyDeviceToDevice));
    static constexpr void (*kKernels[])(const float*, float*, int, int) = {convolve<Zero>, convolve<Clamp>,
                                                                           convolve<Wrap>};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(ceil_div(width, kColumns), min(ceil_div(height, kRows), 65535));
    config.blockDim = dim3(kColumns, kRows);
    CUDA_CHECK(cudaLaunchKernelEx(&config, kKernels[static_cast<int>(border)], d_in, d_out, width, height));
}
