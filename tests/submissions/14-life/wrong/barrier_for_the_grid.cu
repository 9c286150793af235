#include "life.h"

__device__ unsigned char cell_of(const unsigned char* board, int rows, int columns, int y, int x) {
    return board[(y + rows) % rows * columns + (x + columns) % columns];
}

// One launch for all generations; __syncthreads() between them.
__global__ void all_generations(unsigned char* a, unsigned char* b, int rows, int columns, int generations) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    bool inside = x < columns && y < rows;
    for (int g = 0; g < generations; ++g) {
        if (inside) {
            int count = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    if (dy != 0 || dx != 0) count += cell_of(a, rows, columns, y + dy, x + dx);
            int alive = a[y * columns + x];
            b[y * columns + x] = count == 3 || (count == 2 && alive);
        }
        __syncthreads();
        unsigned char* other = a;
        a = b;
        b = other;
    }
}

void life(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work) {
    int n = rows * columns;
    if (n == 0) return;
    unsigned char* d_board = work.get<unsigned char>(n);
    // An even number of generations ends where it begins.
    unsigned char* d_first = generations % 2 == 0 ? d_out : d_board;
    CUDA_CHECK(cudaMemcpyAsync(d_first, d_in, n, cudaMemcpyDeviceToDevice));
    dim3 block(16, 16), grid(ceil_div(columns, 16), ceil_div(rows, 16));
    all_generations<<<grid, block>>>(d_first, d_first == d_out ? d_board : d_out, rows, columns, generations);
    CUDA_CHECK(cudaGetLastError());
}
