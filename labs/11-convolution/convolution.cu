// Lab 11, convolution: the one file you edit. Handout: README.md. Then: make lab11 && ./grader
// Pointers d_* are device memory; d_in and the filters must not change; d_out holds garbage at first.
// Each function is called for images of every shape, also empty ones, and is timed; its Workspace is not.
#include "convolution.h"  // the contract; Border, kMaxRadius, kMaxSize; todo(), CUDA_CHECK, ceil_div, Workspace

#include <utility>

constexpr int kBlockX = 32, kBlockY = 8;

// ---- Task 1, naive: a thread for each pixel ----
// Launch: a thread for each pixel, blocks of kBlockX x kBlockY.

// Which of `length` pixels lies at place i, which may be outside; -1: none. For rows and for columns, in all tasks.
__device__ int source(int i, int length, Border border) {
    // 1.1  What is the nearest pixel of a place to the left, and to the right?
    // 1.2  Border::wrap: in an image of 3 pixels, which one lies at place 5, and which at -5? What is -5 % 3 in C++?
    return i;
}

__global__ void naive_kernel(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                             Border border) {
    // 1.3  Lanes of a warp differ in threadIdx.x. Should that be x or y, if neighbours are to read neighbours?
    // 1.4  The grid is rounded up to whole blocks, in both directions: which threads have nothing to do?
    // 1.5  Which pixel does the filter's first weight meet, for which i and j are -radius? (A minus, twice.)
    // 1.6  Where does in(x, y) lie in d_in?
}

void naive(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius, Border border,
           Workspace&) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // 1.7  How many blocks cover `width` pixels, and how many `height`? And if one of them is 0?
    dim3 grid(1, 1), block(kBlockX, kBlockY);
    naive_kernel<<<grid, block>>>(d_in, d_out, width, height, d_filter, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, constant_memory: all threads read the same weight at the same time ----
// Launch: as task 1.
__constant__ float c_filter[kMaxSize * kMaxSize];

// For tasks 2, 3 and 5.
void set_filter(const float* d_filter, int radius) {
    // 2.1  Kernels cannot write constant memory; this copies from device memory to device memory. Why does the host not
    //      have to wait for it? The next call copies another filter: why does this call's kernel still see its own?
    // 2.2  Is that all of the weights? Where does weight (i, j) of a 5 x 5 filter lie in c_filter?
    std::size_t count = 2 * radius + 1;
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_filter, d_filter, count * sizeof(float), 0, cudaMemcpyDeviceToDevice));
}

__global__ void constant_memory_kernel(const float* d_in, float* d_out, int width, int height, int radius,
                                       Border border) {
    // 2.3  As task 1: which line changes?
}

void constant_memory(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace&) {
    todo("2");
    set_filter(d_filter, radius);
    dim3 grid(1, 1), block(kBlockX, kBlockY);
    constant_memory_kernel<<<grid, block>>>(d_in, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, shared_tile: a block loads what its pixels need once ----
// Launch: a block of kBlockX x kBlockY threads for each kTile x kTile pixels. Shared memory: the tile and its halo.
constexpr int kTile = 32;

__global__ void shared_tile_kernel(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    // 3.1  Which pixels do the sums of a tile need? How many is that in a row, in all, and with the largest radius?
    // 3.2  That is more than there are threads: which of them does thread (tx, ty) load? Do not forget the corners.
    // 3.3  Pixels outside the image, or of a tile that is not full: what do they become in shared memory? Who still has
    //      to think of the border after that?
    // 3.4  Which barrier is needed, and which threads may not have left before it?
    // 3.5  A thread has kTile / kBlockY pixels. If they lie below each other, how often is a weight read for all?
}

void shared_tile(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                 Border border, Workspace&) {
    todo("3");
    set_filter(d_filter, radius);
    // 3.6  This is the first row of tiles. How many rows of them are there, the last, partly filled one included?
    dim3 grid(ceil_div(width, kTile), 1), block(kBlockX, kBlockY);
    shared_tile_kernel<<<grid, block>>>(d_in, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, separable: weight(i, j) = column[j] * row[i] ----
// Launch: one kernel that convolves every row with d_row, one that convolves every column of that with d_column.
__constant__ float c_row[kMaxSize], c_column[kMaxSize];

__global__ void row_pass(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    // 4.1  Take column[j] out of the sum over i: what is left, and which pixels share it?
    // 4.2  Which halo does a tile of this pass have? Which tile is better: 32 x 8 or 128 x 8?
}

__global__ void column_pass(const float* d_in, float* d_out, int width, int height, int radius, Border border) {
    // 4.3  Neighbouring lanes still should read neighbouring pixels: along which side of the tile does a warp lie?
    // 4.4  Above the image there are rows of the first pass's result. What are they, for each border?
}

void separable(const float* d_in, float* d_out, int width, int height, const float* d_row, const float* d_column,
               int radius, Border border, Workspace& work) {
    todo("4");
    std::size_t bytes = (2 * radius + 1) * sizeof(float);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_row, d_row, bytes, 0, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_column, d_column, bytes, 0, cudaMemcpyDeviceToDevice));
    // 4.5  Why can the first pass not write d_out, and the second one read and write it?
    float* d_rows = work.get<float>(static_cast<std::size_t>(width) * height);
    dim3 grid(1, 1), block(kBlockX, kBlockY);
    row_pass<<<grid, block>>>(d_in, d_rows, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
    column_pass<<<grid, block>>>(d_rows, d_out, width, height, radius, border);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, register_window: any filter; a thread goes down a column ----
// Launch: a thread for each column of a strip of kStrip rows; blocks of kColumns threads.
constexpr int kColumns = 128, kStrip = 64;

template <int kRadius>
__global__ void register_window_kernel(const float* d_in, float* d_out, int width, int height, Border border) {
    // 5.1  A thread has read in(x - radius, y) ... in(x + radius, y). To which rows of the result does that add, and
    //      with which row of the filter to each?
    // 5.2  So a thread has 2 radius + 1 unfinished sums. Which one is finished after row y, and which one begins?
    // 5.3  An array stays in registers if the compiler knows every index. What does that ask of the loops over i and j
    //      (#pragma unroll), and of the step from one row to the next?
    // 5.4  With which row does a strip begin, so that its first sum has all it needs? With which does it end?
    // 5.5  The lanes of a warp read overlapping pieces of a row, with no shared memory: who brings them together?
}

// One kernel for each radius, 0 to kMaxRadius: kernel_for(3, ...) is register_window_kernel<3>.
template <int... kRadius>
auto* kernel_for(int radius, std::integer_sequence<int, kRadius...>) {
    static constexpr decltype(&register_window_kernel<0>) kernels[] = {register_window_kernel<kRadius>...};
    return kernels[radius];
}

void register_window(const float* d_in, float* d_out, int width, int height, const float* d_filter, int radius,
                     Border border, Workspace&) {
    todo("5");
    set_filter(d_filter, radius);
    // 5.6  This is the first column of blocks. How many lie side by side?
    auto* kernel = kernel_for(radius, std::make_integer_sequence<int, kMaxRadius + 1>());
    dim3 grid(1, ceil_div(height, kStrip));
    kernel<<<grid, kColumns>>>(d_in, d_out, width, height, border);
    CUDA_CHECK(cudaGetLastError());
}
