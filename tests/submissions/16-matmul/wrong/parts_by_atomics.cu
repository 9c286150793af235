// a memset, and parts of inner whose sums are added by atomics: in any order, but each sum in float
#include "matmul.h"

__global__ void __launch_bounds__(256, 2)
    parts(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner, int each) {
    __shared__ float s_a[8][132], s_b[8][128];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, top = blockIdx.y * 128, left = blockIdx.x * 128;
    const int begin = blockIdx.z * each, end = min(begin + each, inner);
    float sum[8][8] = {};
    for (int first = begin; first < end; first += 8) {
        for (int i = t; i < 1024; i += 256) {
            const int row = top + i / 8, column = left + i % 128, k_a = first + i % 8, k_b = first + i / 128;
            s_a[i % 8][i / 8] = row < rows && k_a < end ? d_a[row * inner + k_a] : 0.0f;
            s_b[i / 128][i % 128] = column < columns && k_b < end ? d_b[k_b * columns + column] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float a[8], b[8];
            for (int i = 0; i < 8; ++i) {
                a[i] = s_a[k][ty * 8 + i];
                b[i] = s_b[k][tx + 16 * i];
            }
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
            const int row = top + ty * 8 + i, column = left + tx + 16 * j;
            if (row < rows && column < columns) atomicAdd(&d_c[row * columns + column], sum[i][j]);
        }
}

void occupancy(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner, Workspace&) {
    if (rows == 0 || columns == 0) return;
    CUDA_CHECK(cudaMemsetAsync(d_c, 0, sizeof(float) * rows * columns));
    if (inner == 0) return;
    const int each = 64;
    const dim3 grid(ceil_div(columns, 128), ceil_div(rows, 128), ceil_div(inner, each));
    parts<<<grid, 256>>>(d_a, d_b, d_c, rows, columns, inner, each);
    CUDA_CHECK(cudaGetLastError());
}
