// Lab 11, convolution: the ladder. A rung's comment says only what changed from the one before.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md).
//
// rung                 H200  idea
// naive            210 GB/s  a thread for each pixel, all of its neighbours from global memory
// constant_memory  215 GB/s  the filter in constant memory
// shared_tile      615 GB/s  a tile of the image and its halo in shared memory
// separable        931 GB/s  a filter that is a row times a column, in two passes
// register_window  913 GB/s  each thread slides a window of sums down its column, in registers
#include "convolution.h"

#include <utility>

// Blocks are kBlockX threads wide, a warp for each of kBlockY rows: neighbouring lanes read neighbouring pixels.
constexpr int kBlockX = 32, kBlockY = 8;

// Which of `length` pixels lies at place i, which may be far outside; -1: none.
__device__ int source(int i, int length, Border border) {
    if (0 <= i && i < length) return i;
    if (border == Border::clamp) return i < 0 ? 0 : length - 1;
    if (border == Border::wrap) return (i % length + length) % length;  // % keeps the sign of i
    return -1;
}

__device__ float pixel(const float* d_in, int x, int y, int width, int height, Border border) {
    x = source(x, width, border);
    y = source(y, height, border);
    return x < 0 || y < 0 ? 0.0f : d_in[y * width + x];
}

// ---- Rung 1, naive ----
// Launch: a thread for each pixel, blocks of kBlockX x kBlockY.
__global__ void naive_kernel(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                             Border border) {
    int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = -radius; j <= radius; ++j) {
        int row = source(y - j, height, border);
        for (int i = -radius; i <= radius; ++i) {
            int column = source(x - i, width, border);
            float weight = *d_filter++;
            if (row >= 0 && column >= 0) sum += weight * d_in[row * width + column];
        }
    }
    d_out[y * width + x] = sum;
}

void naive(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius, Border border,
           Workspace&) {
    if (width == 0 || height == 0) return;
    dim3 grid(ceil_div(width, kBlockX), ceil_div(height, kBlockY));
    naive_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_in, d_out, width, height, d_filter, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Rung 2, constant_memory: as 1, but the filter lies where all lanes of a warp read the same word at once ----
// Launch: as 1.
__constant__ float c_filter[kMaxSize * kMaxSize];

// From device memory to device memory, in the stream's order: the host does not wait, and earlier kernels have read
// their filter by then.
void set_filter(const float* d_filter, int radius) {
    std::size_t count = (2 * radius + 1) * (2 * radius + 1);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_filter, d_filter, count * sizeof(float), 0, cudaMemcpyDeviceToDevice));
}

__global__ void constant_memory_kernel(const float* d_in, float* d_out, int width, int height, int radius,
                                       Border border) {
    int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    const float* c_weight = c_filter;
    for (int j = -radius; j <= radius; ++j) {
        int row = source(y - j, height, border);
        for (int i = -radius; i <= radius; ++i) {
            int column = source(x - i, width, border);
            float weight = *c_weight++;
            if (row >= 0 && column >= 0) sum += weight * d_in[row * width + column];
        }
    }
    d_out[y * width + x] = sum;
}

void constant_memory(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    set_filter(d_filter, radius);
    dim3 grid(ceil_div(width, kBlockX), ceil_div(height, kBlockY));
    constant_memory_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_in, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Rung 3, shared_tile: as 2, but a block loads its tile and the halo around it once ----
// Launch: a block of kBlockX x kBlockY threads for each kTile x kTile pixels. Shared memory: tile and halo.
constexpr int kTile = 32;
constexpr int kPerThread = kTile / kBlockY;  // pixels of a thread, one below the other: they share each weight

__global__ void shared_tile_kernel(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    __shared__ float s_tile[kTile + 2 * kMaxRadius][kTile + 2 * kMaxRadius];
    int left = blockIdx.x * kTile, top = blockIdx.y * kTile, side = kTile + 2 * radius;
    // Borders are looked after here, and nowhere else.
    for (int ty = threadIdx.y; ty < side; ty += kBlockY) {
        for (int tx = threadIdx.x; tx < side; tx += kBlockX)
            s_tile[ty][tx] = pixel(d_in, left + tx - radius, top + ty - radius, width, height, border);
    }
    __syncthreads();

    // in(x - i, y - j) for i = j = -radius, the first weight, is the pixel at the lower right.
    float sum[kPerThread] = {};
    int next = 0;
    for (int j = 2 * radius; j >= 0; --j) {
        for (int i = 2 * radius; i >= 0; --i) {
            float weight = c_filter[next++];
            for (int k = 0; k < kPerThread; ++k)
                sum[k] += weight * s_tile[threadIdx.y + k * kBlockY + j][threadIdx.x + i];
        }
    }

    int x = left + threadIdx.x;
    for (int k = 0; k < kPerThread; ++k) {
        int y = top + threadIdx.y + k * kBlockY;
        if (x < width && y < height) d_out[y * width + x] = sum[k];
    }
}

void shared_tile(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                 Border border, Workspace&) {
    if (width == 0 || height == 0) return;
    set_filter(d_filter, radius);
    dim3 grid(ceil_div(width, kTile), ceil_div(height, kTile));
    shared_tile_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_in, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Rung 4, separable: as 3, but twice in one direction: 2 (2 radius + 1) products a pixel, not its square ----
// Launch, rows: a block of kBlockX x kBlockY threads for each kRowTile x kBlockY pixels; columns: for each
// kBlockX x kColumnTile. Shared memory: the tile and its halo, which has two sides instead of four.
constexpr int kRowTile = 4 * kBlockX, kColumnTile = 8 * kBlockY;

__constant__ float c_row[kMaxSize], c_column[kMaxSize];

__global__ void row_pass(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    __shared__ float s_rows[kBlockY][kRowTile + 2 * kMaxRadius];
    int left = blockIdx.x * kRowTile, y = blockIdx.y * kBlockY + threadIdx.y;
    if (y >= height) return;  // a warp has one row, and shares it with no other
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
    row_pass<<<dim3(ceil_div(width, kRowTile), ceil_div(height, kBlockY)), block>>>(d_in, d_rows, width, height, radius,
                                                                                    border);
    CUDA_CHECK(cudaGetLastError());
    column_pass<<<dim3(ceil_div(width, kBlockX), ceil_div(height, kColumnTile)), block>>>(d_rows, d_out, width, height,
                                                                                          radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Rung 5, register_window: as 2, but a thread goes down a column and reads each row once for all sums ----
// Launch: a thread for each column of a strip of kStrip rows; blocks of kColumns threads. No shared memory: what the
// lanes of a warp read overlaps, and the L1 cache has it.
constexpr int kColumns = 128, kStrip = 64;

// d_row[x - kRadius], ..., d_row[x + kRadius] for a row of the image.
template <int kRadius>
__device__ void load_row(float (&row)[2 * kRadius + 1], const float* d_row, int x, int width, Border border) {
    if (x >= kRadius && x + kRadius < width) {
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

// The radius is known to the compiler, so that `row` and `sum` stay in registers, and weights are operands of the
// multiply-add itself.
template <int kRadius>
__global__ void __launch_bounds__(kColumns)
    register_window_kernel(const float* d_in, float* d_out, int width, int height, Border border) {
    constexpr int kSize = 2 * kRadius + 1;
    int x = blockIdx.x * kColumns + threadIdx.x, top = blockIdx.y * kStrip;
    if (x >= width) return;
    float sum[kSize + 1] = {};  // sum[k]: what is known so far of row y - kRadius + k of the result
    for (int y = top - kRadius; y < min(top + kStrip, height) + kRadius; ++y) {
        float row[kSize] = {};
        int from = source(y, height, border);
        if (from >= 0) load_row<kRadius>(row, d_in + from * width, x, width, border);
            // The window moves down by a row: what was sum[k + 1] goes on as sum[k].
#pragma unroll
        for (int k = 0; k < kSize; ++k) {
            sum[k] = sum[k + 1];
#pragma unroll
            for (int i = 0; i < kSize; ++i) sum[k] += c_filter[k * kSize + i] * row[kSize - 1 - i];
        }
        if (y - kRadius >= top) d_out[(y - kRadius) * width + x] = sum[0];
    }
}

// A kernel for each radius, 0, 1, ...
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
