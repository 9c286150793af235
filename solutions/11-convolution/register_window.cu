// Task 5, register_window: as 2, but a thread goes down a column and reads each row once for all the sums that need it.
// The radius is a template parameter, so the compiler knows every index: the sums stay in registers.
#include <utility>

#include "border.cuh"
#include "constant_filter.cuh"
#include "convolution.h"

constexpr int kColumns = 128;  // of a block, a thread for each
constexpr int kStrip = 64;     // rows of a thread: the taller, the fewer rows are read twice

// row[i] = in(x - kRadius + i, y), for the row of the image that begins at d_row.
template <int kRadius>
__device__ void load_row(float (&row)[2 * kRadius + 1], const float* d_row, int x, int width, Border border) {
    if (x >= kRadius && x + kRadius < width) {  // all inside
#pragma unroll
        for (int i = 0; i <= 2 * kRadius; ++i) row[i] = d_row[x - kRadius + i];
    } else {
#pragma unroll
        for (int i = 0; i <= 2 * kRadius; ++i) {
            int from = source(x - kRadius + i, width, border);
            row[i] = from < 0 ? 0.0f : d_row[from];
        }
    }
}

// Launch: a thread for each column of a strip of kStrip rows; blocks of kColumns threads. No shared memory: the lanes
// of a warp read overlapping pieces of a row, and all but the first read of a pixel hit the L1 cache.
template <int kRadius>
__global__ void __launch_bounds__(kColumns)
    register_window_kernel(const float* d_in, float* d_out, int width, int height, Border border) {
    constexpr int kSize = 2 * kRadius + 1;
    int x = blockIdx.x * kColumns + threadIdx.x, top = blockIdx.y * kStrip;
    if (x >= width) return;

    // The window: sum[k] is the unfinished result of row y - kRadius + k. sum[kSize] stays 0, and each new row of the
    // result begins with it.
    float sum[kSize + 1] = {};
    for (int y = top - kRadius; y < min(top + kStrip, height) + kRadius; ++y) {
        float row[kSize] = {};  // stays 0 where a row outside the image counts as 0
        int from = source(y, height, border);
        if (from >= 0) load_row<kRadius>(row, d_in + from * width, x, width, border);
#pragma unroll
        for (int k = 0; k < kSize; ++k) {
            // The window moves down by one row: the old sum[k + 1] goes on as sum[k]. The move costs nothing, because
            // the first multiply-add reads the one register and writes the other.
            sum[k] = sum[k + 1];
#pragma unroll
            for (int i = 0; i < kSize; ++i) sum[k] += c_filter[k * kSize + i] * row[kSize - 1 - i];
        }
        if (y - kRadius >= top) d_out[(y - kRadius) * width + x] = sum[0];
    }
}

// A table of the kernels for each radius, 0, 1, ...
template <int... kRadius>
auto* kernel_for(int radius, std::integer_sequence<int, kRadius...>) {
    static constexpr decltype(&register_window_kernel<0>) kernels[] = {register_window_kernel<kRadius>...};
    return kernels[radius];
}

void register_window(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    set_filter(d_filter, radius);
    auto* kernel = kernel_for(radius, std::make_integer_sequence<int, kMaxRadius + 1>());
    dim3 grid(ceil_div(width, kColumns), ceil_div(height, kStrip));
    kernel<<<grid, kColumns>>>(d_in, d_out, width, height, border);
    CUDA_CHECK(cudaGetLastError());
}
