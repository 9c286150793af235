// Task 2, life: as gathering in task 1, and then the rule. A thread cannot know when its neighbours are done with a
// generation, so each generation is a launch of its own, and no board is read and written by the same launch.
#include "torus.cuh"

constexpr int kBlockX = 32, kBlockY = 8;

// Launch: blocks of kBlockX x kBlockY threads, one thread for each cell.
__global__ void life_kernel(const unsigned char* d_in, unsigned char* d_out, int rows, int columns) {
    int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
    if (x >= columns || y >= rows) return;
    // Six indices instead of sixteen: those of three rows and of three columns.
    int left = wrapped(x - 1, columns), right = wrapped(x + 1, columns), count = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        const unsigned char* d_row = d_in + wrapped(y + dy, rows) * columns;
        count += d_row[left] + d_row[right] + (dy != 0 ? d_row[x] : 0);
    }
    d_out[y * columns + x] = next_state(count, d_in[y * columns + x]);
}

void life(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    dim3 grid(ceil_div(columns, kBlockX), ceil_div(rows, kBlockY)), block(kBlockX, kBlockY);
    each_generation(d_in, d_out, rows * columns, generations, work,
                    [=](const unsigned char* d_from, unsigned char* d_to) {
                        life_kernel<<<grid, block>>>(d_from, d_to, rows, columns);
                    });
}
