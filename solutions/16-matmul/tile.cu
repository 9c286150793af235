// Task 2, tile: as 1, but the block loads a tile of A and one of B into shared memory, where each element is used kTile
// times.
#include "matmul.h"

constexpr int kTile = 32;

// Launch: a block of kTile x kTile threads for each tile of C. Shared memory: two tiles.
__global__ void tile_kernel(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    __shared__ float s_a[kTile][kTile], s_b[kTile][kTile];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
    float sum = 0;
    for (int first = 0; first < inner; first += kTile) {
        // Load: beyond the matrices are zeros, which add nothing.
        s_a[y][x] = row < rows && first + x < inner ? d_a[row * inner + first + x] : 0;
        s_b[y][x] = first + y < inner && column < columns ? d_b[(first + y) * columns + column] : 0;
        __syncthreads();
        for (int k = 0; k < kTile; ++k) sum += s_a[y][k] * s_b[k][x];
        __syncthreads();  // before the next tiles replace these
    }
    if (row < rows && column < columns) d_c[row * columns + column] = sum;
}

void tile(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    if (rows == 0 || columns == 0) return;
    dim3 grid(ceil_div(columns, kTile), ceil_div(rows, kTile));
    tile_kernel<<<grid, dim3(kTile, kTile)>>>(d_a, d_b, d_c, rows, columns, inner);
    CUDA_CHECK(cudaGetLastError());
}
