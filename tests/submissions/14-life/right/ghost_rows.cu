// Style: boards with ghost cells: a ring around the board holds the other side, and a kernel renews it each generation
#include "life.h"

// Kernel 1: rows + 2 by columns + 2 cells; the inner ones from the input.
static __global__ void put_inside(const unsigned char* in, unsigned char* board, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < columns) board[(y + 1) * (columns + 2) + x + 1] = in[y * columns + x];
}

static __global__ void ghost_columns(unsigned char* board, int rows, int columns) {
    int y = blockIdx.x * blockDim.x + threadIdx.x + 1, pitch = columns + 2;
    if (y > rows) return;
    board[y * pitch] = board[y * pitch + columns];
    board[y * pitch + columns + 1] = board[y * pitch + 1];
}

// After the columns, so that the corners are copied with the rows.
static __global__ void ghost_rows(unsigned char* board, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, pitch = columns + 2;
    if (x >= pitch) return;
    board[x] = board[rows * pitch + x];
    board[(rows + 1) * pitch + x] = board[pitch + x];
}

// The output is a board with a ring, too, or the result without one.
static __global__ void inner_cells(const unsigned char* board, unsigned char* out, int out_pitch, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, pitch = columns + 2;
    if (x >= columns) return;
    const unsigned char* at = board + (y + 1) * pitch + x + 1;
    int sum = at[-pitch - 1] + at[-pitch] + at[-pitch + 1] + at[-1] + at[1] + at[pitch - 1] + at[pitch] + at[pitch + 1];
    out[y * out_pitch + x] = (sum | *at) == 3;  // 3, or 2 with a live cell
}

void life(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    const int pitch = columns + 2, size = (rows + 2) * pitch;
    unsigned char* boards = work.get<unsigned char>(2 * static_cast<std::size_t>(size));
    unsigned char *now = boards, *next = boards + size;
    const dim3 grid(ceil_div(columns, 128), rows);
    put_inside<<<grid, 128>>>(d_in, now, rows, columns);
    for (int g = 0; g < generations; ++g) {
        ghost_columns<<<ceil_div(rows, 128), 128>>>(now, rows, columns);
        ghost_rows<<<ceil_div(pitch, 128), 128>>>(now, rows, columns);
        inner_cells<<<grid, 128>>>(now, next + pitch + 1, pitch, columns);
        unsigned char* other = now;
        now = next;
        next = other;
    }
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy2DAsync(d_out, columns, now + pitch + 1, pitch, columns, rows, cudaMemcpyDeviceToDevice));
}
