// A thread for each element, whose sum is a half.
#include "matmul.h"

__global__ void half_kernel(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a,
                            Order b) {
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row >= rows || column >= columns) return;
    half sum = 0;
    for (int k = 0; k < inner; ++k) {
        half left = a == Order::rows ? d_a[row * inner + k] : d_a[k * rows + row];
        half right = b == Order::rows ? d_b[k * columns + column] : d_b[column * inner + k];
        sum = __hadd(sum, __hmul(left, right));
    }
    d_c[row * columns + column] = __half2float(sum);
}

void mixed(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a, Order b) {
    if (rows == 0 || columns == 0) return;
    half_kernel<<<dim3(ceil_div(columns, 32), ceil_div(rows, 8)), dim3(32, 8)>>>(d_a, d_b, d_c, rows, columns, inner, a,
                                                                                 b);
    CUDA_CHECK(cudaGetLastError());
}
