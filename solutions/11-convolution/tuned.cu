// The record of task 5, register_window. As its lesson, register_window.cu, but a thread goes down four columns. They
// share the pixels, which are loaded 16 bytes at a time, and the weights. A weight must be loaded before it can be an
// operand; with one column, one instruction in three does only that. Small filters are limited by memory, large ones by
// their multiply-adds. docs/performance/11-convolution.md has the measurements behind the constants below.
#include <algorithm>
#include <utility>

#include "border.cuh"
#include "constant_filter.cuh"
#include "convolution.h"

constexpr int kThreads = 128;
constexpr int kEdge = 32;               // columns at either side of the image, each with a thread of its own
constexpr int kBlocksPerProcessor = 4;  // at least, unless strips would get too short
// Rows of the shortest strip: 65,535 of them, the most blocks in y, are enough for kMaxSide rows.
constexpr int kLeastStrip = 5;
static_assert(kMaxSide / kLeastStrip <= 65535);

// Columns of a thread that is not at the edge. Each takes 2 * radius + 1 registers for its sums: from radius 9 on, four
// would need 200 registers, so there is one.
__host__ __device__ constexpr int columns(int radius) { return radius <= 8 ? 4 : 1; }

// Rows that a thread loads before it uses the first. Small filters are limited by memory and need more loads in flight.
__host__ __device__ constexpr int rows_at_once(int radius) { return radius < 2 ? 4 : radius == 2 ? 5 : 1; }

static_assert(kEdge >= kMaxRadius && kEdge % columns(0) == 0, "only the edges reach outside the image");

// N neighbouring pixels, loaded and stored at once.
template <int N>
struct alignas(N * sizeof(float)) Pixels {
    float column[N];
};

// Pixels that a thread loads on either side of its own columns: kRadius, rounded up to whole vectors of N.
template <int kRadius, int N>
__device__ constexpr int halo() {
    return (kRadius + N - 1) / N * N;
}

// row[i] = in(x - halo + i, y), for the row of the image that begins at d_row.
template <int kRadius, int N>
__device__ void load_row(float (&row)[N + 2 * halo<kRadius, N>()], const float* d_row, int x, int width,
                         Border border) {
    constexpr int kHalo = halo<kRadius, N>();
    if (N > 1 || (x >= kHalo && x + kHalo < width)) {  // all inside
#pragma unroll
        for (int i = 0; i < N + 2 * kHalo; i += N) {
            auto pixels = *reinterpret_cast<const Pixels<N>*>(d_row + x - kHalo + i);
#pragma unroll
            for (int k = 0; k < N; ++k) row[i + k] = pixels.column[k];
        }
    } else {
#pragma unroll
        for (int i = 0; i <= 2 * kRadius; ++i) {
            int from = source(x - kRadius + i, width, border);
            row[i] = from < 0 ? 0.0f : d_row[from];
        }
    }
}

// One thread's part: the columns x to x + N - 1 of the rows top to bottom - 1. If N > 1, all pixels that it needs are
// in columns of the image.
template <int kRadius, int N>
__device__ void go_down(const float* d_in, float* d_out, int x, int top, int bottom, int width, int height,
                        Border border) {
    constexpr int kSize = 2 * kRadius + 1, kHalo = halo<kRadius, N>(), kRows = rows_at_once(kRadius);

    // The window: sum[k] is the unfinished result of row y - kRadius + k. The last kRows stay 0: the sums of the next
    // rows of the result begin with them.
    float sum[kSize + 2 * kRows - 1][N] = {};
    for (int y = top - kRadius; y < bottom + kRadius; y += kRows) {
        float row[kRows][N + 2 * kHalo] = {};  // stays 0 where a row outside the image counts as 0
#pragma unroll
        for (int j = 0; j < kRows; ++j) {
            int from = source(y + j, height, border);
            if (from >= 0) load_row<kRadius, N>(row[j], d_in + from * width, x, width, border);
        }
        // The window moves down by kRows: the old sum[k + kRows] goes on as sum[k]. The move costs nothing, because the
        // first multiply-add reads the one register and writes the other.
#pragma unroll
        for (int k = 0; k < kSize + kRows - 1; ++k) {
#pragma unroll
            for (int c = 0; c < N; ++c) sum[k][c] = sum[k + kRows][c];
        }
#pragma unroll
        for (int k = 0; k < kSize; ++k) {
#pragma unroll
            for (int i = 0; i < kSize; ++i) {
#pragma unroll
                for (int j = 0; j < kRows; ++j) {
#pragma unroll
                    for (int c = 0; c < N; ++c) {
                        sum[k + j][c] += c_filter[k * kSize + i] * row[j][kHalo + kRadius + c - i];
                    }
                }
            }
        }
#pragma unroll
        for (int j = 0; j < kRows; ++j) {
            int to = y + j - kRadius;  // this row of the result is finished
            if (to < top || to >= bottom) continue;
            Pixels<N> result;
#pragma unroll
            for (int c = 0; c < N; ++c) result.column[c] = sum[j][c];
            *reinterpret_cast<Pixels<N>*>(d_out + to * width + x) = result;
        }
    }
}

// Launch: for each strip of rows, first blocks of kThreads for the inner columns, with columns(kRadius) for each of
// `inner_threads` threads; then blocks for the other columns, with a thread for each. No shared memory: the lanes of a
// warp read overlapping pieces of a row, and all but the first read of a pixel hit the L1 cache.
// In the launch bounds, 1 lets the compiler take all registers; kBlocksPerProcessor only shapes the grid.
template <int kRadius>
__global__ void __launch_bounds__(kThreads, 1)
    register_window_kernel(const float* d_in, float* d_out, int width, int height, Border border, int inner_threads,
                           int strip) {
    constexpr int kColumns = columns(kRadius);
    int top = blockIdx.y * strip, bottom = min(top + strip, height);
    int inner_blocks = ceil_div(inner_threads, kThreads);
    // All threads of a block take the same branch: only then does the compiler keep weights in uniform registers.
    if (kColumns > 1 && blockIdx.x < inner_blocks) {
        int t = blockIdx.x * kThreads + threadIdx.x, x = kEdge + t * kColumns;
        if (t < inner_threads) go_down<kRadius, kColumns>(d_in, d_out, x, top, bottom, width, height, border);
    } else {
        int t = (blockIdx.x - inner_blocks) * kThreads + threadIdx.x, x = t < kEdge ? t : t + inner_threads * kColumns;
        if (x < width) go_down<kRadius, 1>(d_in, d_out, x, top, bottom, width, height, border);
    }
}

// A table of the kernels for each radius, 0, 1, ...
template <int... kRadius>
auto* kernel_for(int radius, std::integer_sequence<int, kRadius...>) {
    static constexpr decltype(&register_window_kernel<0>) kernels[] = {register_window_kernel<kRadius>...};
    return kernels[radius];
}

int processors() {
    int device = 0, count = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

// How many rows a strip has; `blocks` is the number of blocks for one strip. Tall strips read fewer rows twice, but
// short ones make more blocks, and every multiprocessor must get enough of them.
int strip_of(int height, int radius, int blocks) {
    static const int wanted = kBlocksPerProcessor * processors();
    // Measured: small filters are faster with short strips. With the others, the rows that the tallest strip reads
    // twice are less than a tenth of it. A strip of 2 * radius rows reads every row twice.
    int tallest = radius <= 2 ? 14 : 32 * (radius - 1), least = std::max(kLeastStrip, 2 * radius);
    int strip = std::clamp(ceil_div(height, ceil_div(wanted, blocks)), least, tallest);
    // With the rows above and below that it reads, a strip is a whole number of steps of rows_at_once rows.
    return ceil_div(strip + 2 * radius, rows_at_once(radius)) * rows_at_once(radius) - 2 * radius;
}

void register_window(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    set_filter(d_filter, radius);
    auto* kernel = kernel_for(radius, std::make_integer_sequence<int, kMaxRadius + 1>());

    // Vectors of pixels are aligned in every row only if the width is a multiple of their length.
    int wide = columns(radius);
    int inner_threads = wide > 1 && width % wide == 0 ? std::max(0, width - 2 * kEdge) / wide : 0;
    int blocks = ceil_div(inner_threads, kThreads) + ceil_div(width - inner_threads * wide, kThreads);
    int strip = strip_of(height, radius, blocks);
    kernel<<<dim3(blocks, ceil_div(height, strip)), kThreads>>>(d_in, d_out, width, height, border, inner_threads,
                                                                strip);
    CUDA_CHECK(cudaGetLastError());
}
