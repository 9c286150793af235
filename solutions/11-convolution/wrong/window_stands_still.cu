// verdict: WA task=register_window max_n=6000
// because: wrong from n = 1 on (clamp)
// The sums are not moved on from row to row.
#include <utility>

#include "convolution.h"

__device__ int source(int i, int length, Border border) {
    if (0 <= i && i < length) return i;
    if (border == Border::clamp) return i < 0 ? 0 : length - 1;
    if (border == Border::wrap) return (i % length + length) % length;
    return -1;
}

constexpr int kColumns = 128, kStrip = 64;

__constant__ float c_filter[kMaxSize * kMaxSize];

template <int kRadius>
__global__ void register_window_kernel(const float* d_in, float* d_out, int width, int height, Border border) {
    constexpr int kSize = 2 * kRadius + 1;
    int x = blockIdx.x * kColumns + threadIdx.x, top = blockIdx.y * kStrip;
    if (x >= width) return;
    float sum[kSize] = {};
    for (int y = top - kRadius; y < min(top + kStrip, height) + kRadius; ++y) {
        float row[kSize];
        int from = source(y, height, border);
        for (int i = 0; i < kSize; ++i) {
            int column = source(x - kRadius + i, width, border);
            row[i] = from < 0 || column < 0 ? 0.0f : d_in[from * width + column];
        }
        for (int k = 0; k < kSize; ++k) {
            for (int i = 0; i < kSize; ++i) sum[k] += c_filter[k * kSize + i] * row[kSize - 1 - i];
        }
        if (y - kRadius >= top) d_out[(y - kRadius) * width + x] = sum[0];
    }
}

template <int... kRadius>
auto* kernel_for(int radius, std::integer_sequence<int, kRadius...>) {
    static constexpr decltype(&register_window_kernel<0>) kernels[] = {register_window_kernel<kRadius>...};
    return kernels[radius];
}

void register_window(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    std::size_t count = (2 * radius + 1) * (2 * radius + 1);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_filter, d_filter, count * sizeof(float), 0, cudaMemcpyDeviceToDevice));
    auto* kernel = kernel_for(radius, std::make_integer_sequence<int, kMaxRadius + 1>());
    kernel<<<dim3(ceil_div(width, kColumns), ceil_div(height, kStrip)), kColumns>>>(d_in, d_out, width, height, border);
    CUDA_CHECK(cudaGetLastError());
}
