// Lab 16, matmul: the one file you edit. Handout: README.md, contract: matmul.h. Then: make lab16 && ./grader 16
#include "matmul.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, half, Order

#include <mma.h>  // nvcuda::wmma, for task 7

// ---- Task 1, naive: a thread for each element of C, in blocks of kBlockX x kBlockY threads ----
constexpr int kBlockX = 32, kBlockY = 8;

__global__ void naive_kernel(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    // 1.1  Which row and column of C has this thread, if any? Neighbouring lanes should load neighbours of B.
}

void naive(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    todo("1");        // take this line out when you start; until then the verdict is SKIP
    dim3 grid(1, 1);  // not right yet: how many blocks in x, how many in y, and what if C has no elements?
    naive_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_a, d_b, d_c, rows, columns, inner);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, tile: a block of kTile x kTile threads for each tile of C; tiles of A and B in shared memory ----
constexpr int kTile = 32;

__global__ void tile_kernel(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    // 2.1  A step multiplies a tile of A by a tile of B. Which element of each does this thread load?
    // 2.2  What does a thread put into shared memory whose element lies outside of A or B?
    // 2.3  A thread reads what others have loaded, and the next step overwrites it. How many barriers does a step need?
}

void tile(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    todo("2");
    dim3 grid(1, 1);  // not right yet: how many tiles?
    tile_kernel<<<grid, dim3(kTile, kTile)>>>(d_a, d_b, d_c, rows, columns, inner);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, register_tile: kSide x kSide threads, each with kEach x kEach elements of a tile of C ----
constexpr int kSide = 16, kEach = 8;
constexpr int kBlockTile = kSide * kEach;  // rows and columns of the block's tile of C

__global__ void register_tile_kernel(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    // 3.1  Tiles of A with kBlockTile rows and 8 columns, tiles of B the other way. Which elements does a thread load?
    // 3.2  For one k, a thread needs kEach elements of A and kEach of B. How many products does it make of them?
    // 3.3  Which kEach columns should a thread have, so that lanes read neighbours in shared memory?
}

void register_tile(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    todo("3");
    if (rows == 0 || columns == 0) return;
    dim3 grid(ceil_div(columns, kBlockTile), ceil_div(rows, kBlockTile));
    register_tile_kernel<<<grid, dim3(kSide, kSide)>>>(d_a, d_b, d_c, rows, columns, inner);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, vectorized: begin with a copy of task 3 ----
// Kernel vectorized_kernel: loads float4 where a row's elements are aligned, and the tiles of the next step during this
// one.
void vectorized(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner) {
    todo("4");
    if (rows == 0 || columns == 0) return;
    // 4.1  Row r of A begins at element r * inner. For which inner is each row 16-byte aligned? What about the others?
    // 4.2  A thread needs 4 neighbouring rows of A for one k. How must the tile lie, to be read as float4?
    // 4.3  The next tiles go to registers first. When may a thread store them, if there is one tile of each, or two?
}

// ---- Task 5, occupancy: a bound on registers, and parts of the sums for all multiprocessors ----
// Kernel part_kernel: as task 4's, for the products from k = first on; writes its sums as part blockIdx.z.
// Kernel add_parts: adds up the parts of each element.
void occupancy(const float* d_a, const float* d_b, float* d_c, int rows, int columns, int inner, Workspace& work) {
    todo("5");
    if (rows == 0 || columns == 0) return;
    // 5.1  How many blocks does the GPU hold at once? (cudaOccupancyMaxActiveBlocksPerMultiprocessor)
    // 5.2  How many parts, then, and how many products has each? What if inner is small, or 0?
}

// ---- Task 6, mixed: halves in, in any order; products and sums are floats ----
// Kernel mixed_kernel: as task 4's, for either order of A and of B.
void mixed(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a, Order b) {
    todo("6");
    if (rows == 0 || columns == 0) return;
    // 6.1  If A lies by columns, where is A(row, k)? Which elements are neighbours, and which lanes should load them?
}

// ---- Task 7, tensor_cores: as task 6; a warp multiplies fragments of 16 x 16 halves ----
// Kernel tensor_kernel: tiles of halves in shared memory, fragments of A, B and C in registers.
void tensor_cores(const half* d_a, const half* d_b, float* d_c, int rows, int columns, int inner, Order a, Order b) {
    todo("7");
    if (rows == 0 || columns == 0) return;
    // 7.1  Which fragments of C has each warp, and how often does it use a fragment of A that it has loaded?
    // 7.2  load_matrix_sync() needs 32-byte aligned addresses and rows 16 bytes apart or a multiple. How long is a row?
}
