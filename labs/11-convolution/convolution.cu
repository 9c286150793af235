// Lab 11, convolution: the one file you edit. Handout: README.md, contract: convolution.h. Then: make lab11 && ./grader
#include "convolution.h"  // the contract; Border, kMaxRadius, kMaxSize; todo(), CUDA_CHECK, ceil_div, Workspace

#include <utility>

constexpr int kBlockX = 32, kBlockY = 8;

// ---- Task 1, naive: a thread for each pixel ----
// Which of `length` pixels in a row or column stands for place i, which may be outside; -1 if none does. For all tasks.
__device__ int source(int i, int length, Border border) {
    // 1.1  Border::wrap: of 3 pixels, which one stands for place 5, and which for place -5? What is -5 % 3 in C++?
    return i;  // not right yet outside the image
}

__global__ void naive_kernel(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                             Border border) {
    // 1.2  The lanes of a warp differ in threadIdx.x. Should that be x or y, so that neighbours read neighbours?
    // 1.3  Which pixel of the image meets the filter's first weight, where i = j = -radius? (Mind both minus signs.)
}

void naive(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius, Border border,
           Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.4  How many blocks cover `width` pixels, and how many cover `height`? And if one of the two is 0?
    dim3 grid(1, 1), block(kBlockX, kBlockY);  // not right yet: 1 block
    naive_kernel<<<grid, block>>>(d_in, d_out, width, height, d_filter, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, constant_memory: all threads read the same weight at the same time ----
__constant__ float c_filter[kMaxSize * kMaxSize];  // for tasks 2, 3 and 5

void set_filter(const float* d_filter, int radius) {
    // 2.1  The host does not wait for this copy. Why does the next call's filter not overtake this call's kernel?
    std::size_t count = 2 * radius + 1;  // not right yet: how many weights has a filter?
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_filter, d_filter, count * sizeof(float), 0, cudaMemcpyDeviceToDevice));
}

__global__ void constant_memory_kernel(const float* d_in, float* d_out, int width, int height, int radius,
                                       Border border) {}

void constant_memory(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace&) {
    todo("2");
    set_filter(d_filter, radius);
    dim3 grid(1, 1), block(kBlockX, kBlockY);  // not right yet: 1 block
    constant_memory_kernel<<<grid, block>>>(d_in, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, shared_tile: a block loads what its pixels need once ----
constexpr int kTile = 32;

// Launch: a block for each kTile x kTile pixels. Shared memory: these and their halo.
__global__ void shared_tile_kernel(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    // 3.1  The tile and its halo have more pixels than there are threads: which does thread (tx, ty) load?
    // 3.2  Which barrier is needed, and which threads must not have returned before it?
    // 3.3  A thread has kTile / kBlockY pixels, one below the other. How often must it read a weight?
}

void shared_tile(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                 Border border, Workspace&) {
    todo("3");
    set_filter(d_filter, radius);
    dim3 grid(ceil_div(width, kTile), 1), block(kBlockX, kBlockY);  // not right yet: the first row of tiles only
    shared_tile_kernel<<<grid, block>>>(d_in, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, separable: weight(i, j) = column[j] * row[i] ----
__constant__ float c_row[kMaxSize], c_column[kMaxSize];

// Launch: a block for each tile. Shared memory: the tile and its halo. The same for column_pass.
__global__ void row_pass(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    // 4.1  On which sides does a tile of this pass have a halo? Which is better, a tile of 32 x 8 or of 128 x 8?
}

__global__ void column_pass(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    // 4.2  Neighbouring lanes should still read neighbouring pixels: along which side of the tile does a warp lie?
    // 4.3  For each border, which rows of the first pass's result stand for the rows above the image?
}

void separable(const float* d_in, float* d_out, int width, int height, const float* d_row, const float* d_column,
               int radius, Border border, Workspace& work) {
    todo("4");
    std::size_t bytes = (2 * radius + 1) * sizeof(float);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_row, d_row, bytes, 0, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_column, d_column, bytes, 0, cudaMemcpyDeviceToDevice));
    float* d_rows = work.get<float>(static_cast<std::size_t>(width) * height);
    dim3 grid(1, 1), block(kBlockX, kBlockY);  // not right yet: 1 block for each pass
    row_pass<<<grid, block>>>(d_in, d_rows, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
    column_pass<<<grid, block>>>(d_rows, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, register_window: any filter; a thread for each column of a strip of kStrip rows ----
constexpr int kColumns = 128, kStrip = 64;

template <int kRadius>
__global__ void register_window_kernel(const float* d_in, float* d_out, int width, int height, Border border) {
    // 5.1  To which rows of the result does row y of the image contribute, and with which row of the filter to each?
    // 5.2  The sums stay in registers if the compiler knows every index. What does that mean for the loops?
    // 5.3  With which row of the image does a strip begin, so that its first sum is complete? With which does it end?
}

// The kernel of each radius, 0 to kMaxRadius: kernel_for(3, ...) is register_window_kernel<3>.
template <int... kRadius>
auto* kernel_for(int radius, std::integer_sequence<int, kRadius...>) {
    static constexpr decltype(&register_window_kernel<0>) kernels[] = {register_window_kernel<kRadius>...};
    return kernels[radius];
}

void register_window(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace&) {
    todo("5");
    set_filter(d_filter, radius);
    auto* kernel = kernel_for(radius, std::make_integer_sequence<int, kMaxRadius + 1>());
    dim3 grid(1, ceil_div(height, kStrip));  // not right yet: the first column of blocks only
    kernel<<<grid, kColumns>>>(d_in, d_out, width, height, border);
    CUDA_CHECK(cudaGetLastError());
}
