// Style: orders are strides: one kernel for all four cases, a thread for 2 x 2 elements, sums as float2, halves in
// shared memory
#include "matmul.h"

struct View {
    const half* d_data;
    int down, across;
    __device__ half at(int row, int column) const { return d_data[row * down + column * across]; }
};

__global__ void with_strides(View a, View b, float* d_c, int rows, int columns, int inner) {
    __shared__ half s_a[32][34], s_b[32][34];
    const int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * 32, left = blockIdx.x * 32;
    float2 above = {0, 0}, below = {0, 0};
    for (int first = 0; first < inner; first += 32) {
        for (int i = y; i < 32; i += 16)
            for (int j = x; j < 32; j += 16) {
                s_a[i][j] = top + i < rows && first + j < inner ? a.at(top + i, first + j) : __float2half(0.0f);
                s_b[i][j] = first + i < inner && left + j < columns ? b.at(first + i, left + j) : __float2half(0.0f);
            }
        __syncthreads();
        for (int k = 0; k < 32; ++k) {
            const float2 right = __half22float2(*reinterpret_cast<const half2*>(&s_b[k][2 * x]));
            const float one = __half2float(s_a[y][k]), other = __half2float(s_a[y + 16][k]);
            above.x += one * right.x;
            above.y += one * right.y;
            below.x += other * right.x;
            below.y += other * right.y;
        }
        __syncthreads();
    }
    const float sums[2][2] = {{above.x, above.y}, {below.x, below.y}};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const int row = top + y + 16 * i, column = left + 2 * x + j;
            if (row < rows && column < columns) d_c[row * columns + column] = sums[i][j];
        }
}

void mixed(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a, Order b) {
    if (rows == 0 || columns == 0) return;
    const View left{d_a, a == Order::rows ? inner : 1, a == Order::rows ? 1 : rows};
    const View right{d_b, b == Order::rows ? columns : 1, b == Order::rows ? 1 : inner};
    with_strides<<<dim3(ceil_div(columns, 32), ceil_div(rows, 32)), dim3(16, 16)>>>(left, right, d_c, rows, columns,
                                                                                    inner);
    CUDA_CHECK(cudaGetLastError());
}
