// Style: blocks of one warp, a fragment of C each, tiles of 16 x 16 halves, always row-major in shared memory; C by way
// of it
#include <mma.h>

#include "matmul.h"

using namespace nvcuda;

__global__ void one_warp(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a,
                         Order b) {
    __shared__ __align__(32) half s_a[256], s_b[256];
    __shared__ __align__(32) float s_c[256];
    const int top = blockIdx.y * 16, left = blockIdx.x * 16, lane = threadIdx.x;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int first = 0; first < inner; first += 16) {
        for (int i = lane; i < 256; i += 32) {
            int row = top + i / 16, k = first + i % 16;
            s_a[i] = row < rows && k < inner ? d_a[a == Order::rows ? row * inner + k : k * rows + row] : half(0.0f);
            int column = left + i % 16;
            k = first + i / 16;
            s_b[i] = k < inner && column < columns ? d_b[b == Order::rows ? k * columns + column : column * inner + k]
                                                   : half(0.0f);
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> one;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> other;
        wmma::load_matrix_sync(one, s_a, 16);
        wmma::load_matrix_sync(other, s_b, 16);
        wmma::mma_sync(sum, one, other, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(s_c, sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32)
        if (top + i / 16 < rows && left + i % 16 < columns) d_c[(top + i / 16) * columns + left + i % 16] = s_c[i];
}

void tensor_cores(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a, Order b) {
    if (rows == 0 || columns == 0) return;
    one_warp<<<dim3(ceil_div(columns, 16), ceil_div(rows, 16)), 32>>>(d_a, d_b, d_c, rows, columns, inner, a, b);
    CUDA_CHECK(cudaGetLastError());
}
