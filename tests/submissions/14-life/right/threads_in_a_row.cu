// Style: one dimension: grid-stride loops over cells, neighbours in a table of offsets, the wrap by comparisons
#include "life.h"

namespace {

struct Offset {
    signed char dy, dx;
};
__constant__ Offset kAround[8] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};

__device__ int round_trip(int at, int length) { return at < 0 ? length - 1 : at == length ? 0 : at; }

__device__ int place(int cell, int k, int rows, int columns) {
    return round_trip(cell / columns + kAround[k].dy, rows) * columns +
           round_trip(cell % columns + kAround[k].dx, columns);
}

__global__ void fill_with_zeros(int* counts, int cells) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x) counts[i] = 0;
}

__global__ void tell_neighbours(const unsigned char* board, int* counts, int rows, int columns) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns; i += gridDim.x * blockDim.x)
        if (board[i])
            for (int k = 0; k < 8; ++k) atomicAdd(counts + place(i, k, rows, columns), 1);
}

__global__ void ask_neighbours(const unsigned char* board, int* counts, int rows, int columns) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns; i += gridDim.x * blockDim.x) {
        int sum = 0;
        for (int k = 0; k < 8; ++k) sum += board[place(i, k, rows, columns)];
        counts[i] = sum;
    }
}

__global__ void one_more(const unsigned char* board, unsigned char* next, int rows, int columns) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns; i += gridDim.x * blockDim.x) {
        int sum = board[i];
        for (int k = 0; k < 8; ++k) sum += 2 * board[place(i, k, rows, columns)];
        next[i] = 5 <= sum && sum <= 7;  // twice the neighbours, and the cell: 5, 6 or 7
    }
}

}  // namespace

void scatter_and_gather(const unsigned char* d_in, int* d_counts, int rows, int columns, bool scatter) {
    const int cells = rows * columns;
    if (cells == 0) return;
    const int blocks = ceil_div(cells, 512) < 600 ? ceil_div(cells, 512) : 600;
    if (scatter) {
        fill_with_zeros<<<blocks, 128>>>(d_counts, cells);
        tell_neighbours<<<blocks, 128>>>(d_in, d_counts, rows, columns);
    } else {
        ask_neighbours<<<blocks, 128>>>(d_in, d_counts, rows, columns);
    }
    CUDA_CHECK(cudaGetLastError());
}

void life(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work) {
    const int cells = rows * columns;
    if (cells == 0) return;
    unsigned char* boards[2] = {work.get<unsigned char>(cells), d_out};
    if (generations == 0) CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, cells, cudaMemcpyDeviceToDevice));
    const unsigned char* from = d_in;
    for (int g = 1; g <= generations; ++g) {
        unsigned char* to = boards[(generations - g) % 2 == 0];
        one_more<<<ceil_div(cells, 256), 256>>>(from, to, rows, columns);
        CUDA_CHECK(cudaGetLastError());
        from = to;
    }
}
