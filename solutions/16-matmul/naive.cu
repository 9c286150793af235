// Task 1, naive: a thread for each element of C. Neighbouring lanes have neighbouring columns.
#include "matmul.h"

constexpr int kBlockX = 32, kBlockY = 8;

// Launch: blocks of kBlockX x kBlockY threads, one thread for each element.
__global__ void naive_kernel(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    int column = blockIdx.x * kBlockX + threadIdx.x, row = blockIdx.y * kBlockY + threadIdx.y;
    if (row >= rows || column >= columns) return;
    float sum = 0;
    for (int k = 0; k < inner; ++k) sum += d_a[row * inner + k] * d_b[k * columns + column];
    d_c[row * columns + column] = sum;
}

void naive(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    if (rows == 0 || columns == 0) return;
    dim3 grid(ceil_div(columns, kBlockX), ceil_div(rows, kBlockY));
    naive_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_a, d_b, d_c, rows, columns, inner);
    CUDA_CHECK(cudaGetLastError());
}
