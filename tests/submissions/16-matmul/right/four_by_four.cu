// Style: 4 x 4 elements a thread, neighbours as float4; tiles of 64 x 64 with k in rows; one buffer, guards in a
// function
#include "matmul.h"

namespace {

__device__ float element(const float* d, int row, int column, int rows, int columns) {
    return row < rows && column < columns ? d[row * columns + column] : 0.0f;
}

__global__ void four_by_four(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    __shared__ __align__(16) float s_a[16][68], s_b[16][64];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
    float4 sum[4] = {};
    for (int first = 0; first < inner; first += 16) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int at = threadIdx.x + i * 256;
            s_a[at % 16][at / 16] = element(d_a, top + at / 16, first + at % 16, rows, inner);
            s_b[at / 64][at % 64] = element(d_b, first + at / 64, left + at % 64, inner, columns);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float4 a = *reinterpret_cast<const float4*>(&s_a[k][ty * 4]);
            const float4 b = *reinterpret_cast<const float4*>(&s_b[k][tx * 4]);
            const float each[] = {a.x, a.y, a.z, a.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                sum[i].x += each[i] * b.x;
                sum[i].y += each[i] * b.y;
                sum[i].z += each[i] * b.z;
                sum[i].w += each[i] * b.w;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float row_of_four[] = {sum[i].x, sum[i].y, sum[i].z, sum[i].w};
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (top + ty * 4 + i < rows && left + tx * 4 + j < columns)
                d_c[(top + ty * 4 + i) * columns + left + tx * 4 + j] = row_of_four[j];
    }
}

}  // namespace

void register_tile(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    if (rows == 0 || columns == 0) return;
    four_by_four<<<dim3(ceil_div(columns, 64), ceil_div(rows, 64)), 256>>>(d_a, d_b, d_c, rows, columns, inner);
    CUDA_CHECK(cudaGetLastError());
}
