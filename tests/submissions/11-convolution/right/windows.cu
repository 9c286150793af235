// Style: kernels specialised for small radii, by a fold expression over a lambda template (C++20), one for all others;
// a kernel as a template parameter of type auto; the filter in a __constant__ struct.
#include <utility>

#include "convolution.h"

struct Filter {
    float weight[kMaxSize][kMaxSize];
};
__constant__ Filter c_filters[1];

__device__ int source(int i, int length, Border border) {
    if (i >= 0 && i < length) return i;
    if (border == Border::zero) return -1;
    return border == Border::clamp ? (i < 0 ? 0 : length - 1) : (i % length + length) % length;
}

template <int kRadius>
__global__ void __launch_bounds__(96) slide(const float* d_in, float* d_out, int width, int height, Border border) {
    constexpr int kSize = 2 * kRadius + 1, kStrip = 48;
    int x = blockIdx.x * 96 + threadIdx.x, top = blockIdx.y * kStrip;
    if (x >= width) return;
    float sum[kSize + 1] = {};
    for (int y = top - kRadius; y < min(top + kStrip, height) + kRadius; ++y) {
        float row[kSize] = {};
        if (int from = source(y, height, border); from >= 0) {
#pragma unroll
            for (int i = 0; i < kSize; ++i) {
                int column = source(x - kRadius + i, width, border);
                if (column >= 0) row[i] = d_in[from * width + column];
            }
        }
#pragma unroll
        for (int k = 0; k < kSize; ++k) {
            sum[k] = sum[k + 1];
#pragma unroll
            for (int i = 0; i < kSize; ++i) sum[k] = fmaf(c_filters[0].weight[k][i], row[kSize - 1 - i], sum[k]);
        }
        if (y >= top + kRadius) d_out[(y - kRadius) * width + x] = sum[0];
    }
}

// Larger filters are rare: one kernel for all of them.
constexpr int kLargest = 4;

__global__ void any_radius(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = -radius; j <= radius; ++j) {
        int row = source(y - j, height, border);
        for (int i = -radius; row >= 0 && i <= radius; ++i) {
            int column = source(x - i, width, border);
            if (column >= 0) sum += c_filters[0].weight[j + radius][i + radius] * d_in[row * width + column];
        }
    }
    d_out[y * width + x] = sum;
}

template <auto kernel>
void run(const float* d_in, float* d_out, int width, int height, Border border) {
    kernel<<<dim3(ceil_div(width, 96), ceil_div(height, 48)), 96>>>(d_in, d_out, width, height, border);
}

void register_window(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    int size = 2 * radius + 1;
    float* d_weights;
    CUDA_CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&d_weights), c_filters));
    CUDA_CHECK(cudaMemcpy2DAsync(d_weights, kMaxSize * sizeof(float), d_filter, size * sizeof(float),
                                 size * sizeof(float), size, cudaMemcpyDeviceToDevice));
    if (radius > kLargest) {
        dim3 grid(ceil_div(width, 32), ceil_div(height, 8));
        any_radius<<<grid, dim3(32, 8)>>>(d_in, d_out, width, height, radius, border);
    }
    [&]<int... k>(std::integer_sequence<int, k...>) {
        auto try_one = [&]<int kRadius>() {
            if (kRadius == radius) run<slide<kRadius>>(d_in, d_out, width, height, border);
        };
        (try_one.template operator()<k>(), ...);
    }
    (std::make_integer_sequence<int, kLargest + 1>());
    CUDA_CHECK(cudaGetLastError());
}
