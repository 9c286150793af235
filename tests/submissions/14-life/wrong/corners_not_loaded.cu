#include "life.h"

constexpr int kSide = 16;

// The threads at the edges of the tile load the halo, each the cell beside it.
__global__ void tile_with_edges(const unsigned char* in, unsigned char* out, int rows, int columns) {
    __shared__ unsigned char s_cells[kSide + 2][kSide + 2];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * kSide + tx, y = blockIdx.y * kSide + ty;
    int row = y % rows, column = x % columns;
    int up = (y + rows - 1) % rows, down = (y + 1) % rows;
    int left = (x + columns - 1) % columns, right = (x + 1) % columns;
    s_cells[ty + 1][tx + 1] = in[row * columns + column];
    if (ty == 0) s_cells[0][tx + 1] = in[up * columns + column];
    if (ty == kSide - 1) s_cells[kSide + 1][tx + 1] = in[down * columns + column];
    if (tx == 0) s_cells[ty + 1][0] = in[row * columns + left];
    if (tx == kSide - 1) s_cells[ty + 1][kSide + 1] = in[row * columns + right];
    __syncthreads();
    if (x >= columns || y >= rows) return;
    int count = 0;
    for (int dy = 0; dy <= 2; ++dy)
        for (int dx = 0; dx <= 2; ++dx) count += s_cells[ty + dy][tx + dx];
    int alive = s_cells[ty + 1][tx + 1];
    out[y * columns + x] = count == 3 || (count == 4 && alive);
}

void tile(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    unsigned char* d_other = work.get<unsigned char>(rows * columns);
    if (generations == 0) CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, rows * columns, cudaMemcpyDeviceToDevice));
    dim3 grid(ceil_div(columns, kSide), ceil_div(rows, kSide)), block(kSide, kSide);
    for (int g = generations; g > 0; --g) {
        unsigned char* d_to = g % 2 == 1 ? d_out : d_other;
        tile_with_edges<<<grid, block>>>(d_in, d_to, rows, columns);
        CUDA_CHECK(cudaGetLastError());
        d_in = d_to;
    }
}
