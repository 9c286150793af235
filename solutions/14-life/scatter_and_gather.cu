// Task 1, scatter_and_gather: two ways to count neighbours. Who scatters writes where others write too, so every
// addition is an atomic; who gathers writes one place alone, which is its own.
#include "torus.cuh"

constexpr int kBlockX = 32, kBlockY = 8;

// Launch: blocks of kBlockX x kBlockY threads, one thread for each cell. d_counts is 0 everywhere at first.
__global__ void scatter_kernel(const unsigned char* d_in, int* d_counts, int rows, int columns) {
    int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
    if (x >= columns || y >= rows || d_in[y * columns + x] == 0) return;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dy != 0 || dx != 0) atomicAdd(&d_counts[wrapped(y + dy, rows) * columns + wrapped(x + dx, columns)], 1);
}

// Launch: the same.
__global__ void gather_kernel(const unsigned char* d_in, int* d_counts, int rows, int columns) {
    int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
    if (x >= columns || y >= rows) return;
    int count = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dy != 0 || dx != 0) count += d_in[wrapped(y + dy, rows) * columns + wrapped(x + dx, columns)];
    d_counts[y * columns + x] = count;
}

void scatter_and_gather(const unsigned char* d_in, int* d_counts, int rows, int columns, bool scatter) {
    if (rows == 0 || columns == 0) return;
    dim3 grid(ceil_div(columns, kBlockX), ceil_div(rows, kBlockY)), block(kBlockX, kBlockY);
    if (scatter) {
        CUDA_CHECK(cudaMemsetAsync(d_counts, 0, sizeof(int) * rows * columns));
        scatter_kernel<<<grid, block>>>(d_in, d_counts, rows, columns);
    } else {
        gather_kernel<<<grid, block>>>(d_in, d_counts, rows, columns);
    }
    CUDA_CHECK(cudaGetLastError());
}
