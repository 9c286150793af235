// Style: tensor cores left out: a thread for each element, which is right and slow
#include "matmul.h"

__global__ void plain(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, bool a_by_rows,
                      bool b_by_rows) {
    const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= rows || column >= columns) return;
    float sum = 0;
    for (int k = 0; k < inner; ++k)
        sum += __half2float(d_a[a_by_rows ? row * inner + k : k * rows + row]) *
               __half2float(d_b[b_by_rows ? k * columns + column : column * inner + k]);
    d_c[row * columns + column] = sum;
}

void tensor_cores(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a, Order b) {
    if (rows == 0 || columns == 0) return;
    plain<<<dim3(ceil_div(columns, 16), ceil_div(rows, 16)), dim3(16, 16)>>>(d_a, d_b, d_c, rows, columns, inner,
                                                                             a == Order::rows, b == Order::rows);
    CUDA_CHECK(cudaGetLastError());
}
