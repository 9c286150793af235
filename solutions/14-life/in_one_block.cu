// Task 3, in_one_block: as 2, but a single block has the whole board in shared memory. Within a block a barrier
// separates two generations, so that one launch is enough, and global memory sees the first and the last board only.
#include "torus.cuh"

constexpr int kBlock = 1024;

__device__ int neighbours_of(const unsigned char* s_cells, int rows, int columns, int y, int x) {
    int left = wrapped(x - 1, columns), right = wrapped(x + 1, columns), count = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        const unsigned char* s_row = s_cells + wrapped(y + dy, rows) * columns;
        count += s_row[left] + s_row[right] + (dy != 0 ? s_row[x] : 0);
    }
    return count;
}

// Launch: one block of kBlock threads; thread t has cells t, t + kBlock, ... Shared memory: two boards.
__global__ void __launch_bounds__(kBlock)
    in_one_block_kernel(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations) {
    __shared__ unsigned char s_boards[2][kMaxSmall];
    int count = rows * columns, now = 0;
    for (int i = threadIdx.x; i < count; i += kBlock) s_boards[now][i] = d_in[i];
    for (int g = 0; g < generations; ++g) {
        // Everybody has written board `now`, and nobody still reads the other one.
        __syncthreads();
        for (int i = threadIdx.x; i < count; i += kBlock)
            s_boards[1 - now][i] =
                next_state(neighbours_of(s_boards[now], rows, columns, i / columns, i % columns), s_boards[now][i]);
        now = 1 - now;
    }
    // A thread stores the cells that it has computed: no barrier.
    for (int i = threadIdx.x; i < count; i += kBlock) d_out[i] = s_boards[now][i];
}

void in_one_block(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations) {
    if (rows == 0 || columns == 0) return;
    in_one_block_kernel<<<1, kBlock>>>(d_in, d_out, rows, columns, generations);
    CUDA_CHECK(cudaGetLastError());
}
