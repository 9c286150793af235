// Task 3, register_tile: as 2, but a thread has 8 x 8 elements of C in registers: for 64 products it reads 16 floats of
// shared memory instead of 128.
#include "matmul.h"

constexpr int kSide = 16;             // a block has kSide x kSide threads
constexpr int kEach = 8;              // rows and columns of a thread, kSide apart
constexpr int kTile = kSide * kEach;  // rows and columns of the block's tile of C
constexpr int kDeep = 8;              // columns of its tiles of A, rows of its tiles of B

// Launch: a block of kSide x kSide threads for each tile of kTile x kTile elements. Shared memory: two tiles.
__global__ void register_tile_kernel(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    __shared__ float s_a[kTile][kDeep], s_b[kDeep][kTile];
    int x = threadIdx.x, y = threadIdx.y, t = y * kSide + x;
    int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
    float sum[kEach][kEach] = {};
    for (int first = 0; first < inner; first += kDeep) {
        // Load: kTile * kDeep elements of each matrix, kEach / 2 a thread.
        for (int i = t; i < kTile * kDeep; i += kSide * kSide) {
            int row = top + i / kDeep, k = first + i % kDeep;
            s_a[i / kDeep][i % kDeep] = row < rows && k < inner ? d_a[row * inner + k] : 0;
            int column = left + i % kTile;
            k = first + i / kTile;
            s_b[i / kTile][i % kTile] = k < inner && column < columns ? d_b[k * columns + column] : 0;
        }
        __syncthreads();
        // Multiply: every element that is read is used kEach times.
        for (int k = 0; k < kDeep; ++k) {
            float a[kEach], b[kEach];
            for (int i = 0; i < kEach; ++i) {
                a[i] = s_a[y + i * kSide][k];
                b[i] = s_b[k][x + i * kSide];
            }
            for (int i = 0; i < kEach; ++i)
                for (int j = 0; j < kEach; ++j) sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) {
            int row = top + y + i * kSide, column = left + x + j * kSide;
            if (row < rows && column < columns) d_c[row * columns + column] = sum[i][j];
        }
    }
}

void register_tile(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    if (rows == 0 || columns == 0) return;
    dim3 grid(ceil_div(columns, kTile), ceil_div(rows, kTile));
    register_tile_kernel<<<grid, dim3(kSide, kSide)>>>(d_a, d_b, d_c, rows, columns, inner);
    CUDA_CHECK(cudaGetLastError());
}
