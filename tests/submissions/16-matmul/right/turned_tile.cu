// Style: the tile of B is stored turned round, with a padded row, and cooperative groups give index and barrier
#include <cooperative_groups.h>

#include "matmul.h"

__global__ void turned(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    const auto block = cooperative_groups::this_thread_block();
    __shared__ float s_a[32][32], s_turned[32][33];
    const dim3 at = block.thread_index();
    const int row = block.group_index().y * 32 + at.y, column = block.group_index().x * 32 + at.x;
    float sum = 0;
    for (int first = 0; first < inner; first += 32) {
        block.sync();
        const int k = first + at.x, below = first + at.y;
        s_a[at.y][at.x] = k < inner && row < rows ? d_a[row * inner + k] : 0;
        s_turned[at.x][at.y] = below < inner && column < columns ? d_b[below * columns + column] : 0;
        block.sync();
        for (int i = 0; i < min(32, inner - first); ++i) sum += s_a[at.y][i] * s_turned[at.x][i];
    }
    if (row < rows && column < columns) d_c[row * columns + column] = sum;
}

void tile(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    if (rows == 0 || columns == 0) return;
    turned<<<dim3(ceil_div(columns, 32), ceil_div(rows, 32)), dim3(32, 32)>>>(d_a, d_b, d_c, rows, columns, inner);
    CUDA_CHECK(cudaGetLastError());
}
