// Style: copies of A (turned round) and B with sides that are multiples of 64, full of zeros at the edges: the product
// has no guards and always loads float4
#include "matmul.h"

namespace {

__global__ void pad_turned(const float* d_a, float* d_padded, int rows, int inner, int padded_rows) {
    const int row = blockIdx.x * 256 + threadIdx.x, k = blockIdx.y;
    if (row < padded_rows) d_padded[k * padded_rows + row] = row < rows && k < inner ? d_a[row * inner + k] : 0.0f;
}

__global__ void pad(const float* d_b, float* d_padded, int inner, int columns, int padded_columns) {
    const int column = blockIdx.x * 256 + threadIdx.x, k = blockIdx.y;
    if (column < padded_columns)
        d_padded[k * padded_columns + column] = column < columns && k < inner ? d_b[k * columns + column] : 0.0f;
}

__global__ void __launch_bounds__(128) product(const float* d_a, const float* d_b, float* d_c, int rows, int columns,
                                               int inner, int padded_rows, int padded_columns) {
    __shared__ float4 s_a[8][16], s_b[8][32];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 128;
    float sum[8][8] = {};
    for (int first = 0; first < inner; first += 8) {
        s_a[t / 16][t % 16] = reinterpret_cast<const float4*>(d_a + (first + t / 16) * padded_rows + top)[t % 16];
        for (int i = t; i < 256; i += 128)
            s_b[i / 32][i % 32] =
                reinterpret_cast<const float4*>(d_b + (first + i / 32) * padded_columns + left)[i % 32];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const float4 a[] = {s_a[k][ty * 2], s_a[k][ty * 2 + 1]}, b[] = {s_b[k][tx], s_b[k][tx + 16]};
            const float down[] = {a[0].x, a[0].y, a[0].z, a[0].w, a[1].x, a[1].y, a[1].z, a[1].w};
            const float across[] = {b[0].x, b[0].y, b[0].z, b[0].w, b[1].x, b[1].y, b[1].z, b[1].w};
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) sum[i][j] += down[i] * across[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
            const int row = top + ty * 8 + i, column = left + tx * 4 + j % 4 + j / 4 * 64;
            if (row < rows && column < columns) d_c[row * columns + column] = sum[i][j];
        }
}

}  // namespace

void occupancy(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    const int depth = ceil_div(max(inner, 1), 8) * 8;
    const int down = ceil_div(rows, 64) * 64, across = ceil_div(columns, 128) * 128;
    float *d_turned = work.get<float>(std::size_t(depth) * down),
          *d_padded = work.get<float>(std::size_t(depth) * across);
    pad_turned<<<dim3(ceil_div(down, 256), depth), 256>>>(d_a, d_turned, rows, inner, down);
    CUDA_CHECK(cudaGetLastError());
    pad<<<dim3(ceil_div(across, 256), depth), 256>>>(d_b, d_padded, inner, columns, across);
    CUDA_CHECK(cudaGetLastError());
    product<<<dim3(across / 128, down / 64), 128>>>(d_turned, d_padded, d_c, rows, columns, inner, down, across);
    CUDA_CHECK(cudaGetLastError());
}
