// Lab 14, life: the one file you edit. Handout: README.md, contract: life.h. Then: make lab14 && ./grader 14
#include "life.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, kAllLanes

constexpr int kBlockX = 32, kBlockY = 8;  // threads of a block

// ---- Task 1, scatter_and_gather: count live neighbours, in blocks of kBlockX x kBlockY threads ----
__global__ void gather_kernel(const unsigned char* d_in, int* d_counts, int rows, int columns) {
    // 1.1  What is -1 % 5 in C++? Write a function that takes an index round the torus, for any index.
}

// Kernel scatter_kernel: a thread for each cell; that of a live cell adds 1 to the count of each of its neighbours.
// 1.2  Two threads may add to the same count at the same time. What does that need?
// 1.3  What must be in d_counts before the first thread adds to it?

void scatter_and_gather(const unsigned char* d_in, int* d_counts, int rows, int columns, bool scatter) {
    todo("1");        // take this line out when you start; until then the verdict is SKIP
    dim3 grid(1, 1);  // not right yet: how many blocks in x, how many in y, and what if there are no cells?
    gather_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_in, d_counts, rows, columns);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, life: a thread for each cell, a launch for each generation ----
__global__ void life_kernel(const unsigned char* d_in, unsigned char* d_out, int rows, int columns) {
    // 2.1  Why may a thread not write its cell where its neighbours still read it?
}

void life(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work) {
    todo("2");
    // 2.2  Generation 1 reads d_in, and the last writes d_out. Where do those between go? And with no generation?
    dim3 grid(1, 1);  // not right yet
    life_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_in, d_out, rows, columns);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, in_one_block: one block of kBlock threads, the board in shared memory ----
constexpr int kBlock = 1024;

__global__ void in_one_block_kernel(const unsigned char* d_in, unsigned char* d_out, int rows, int columns,
                                    int generations) {
    // 3.1  With two boards in shared memory, how many barriers does a generation need, and where?
    // 3.2  Which threads must reach a barrier, also on a board of 5 cells?
}

void in_one_block(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations) {
    todo("3");
    in_one_block_kernel<<<1, kBlock>>>(d_in, d_out, rows, columns, generations);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, tile: a block of kTileX x kBlockY threads for each tile of kTileX x kTileY cells ----
constexpr int kTileX = 64, kTileY = 32;

__global__ void tile_kernel(const unsigned char* d_in, unsigned char* d_out, int rows, int columns) {
    // 4.1  How many cells does the block need to compute its tile? Which of them does a thread load?
    // 4.2  In the last tiles, cells of the halo lie beyond the board. Where on the torus is that?
}

void tile(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work) {
    todo("4");  // not right yet: one generation only
    dim3 grid(ceil_div(columns, kTileX), ceil_div(rows, kTileY));
    tile_kernel<<<grid, dim3(kTileX, kBlockY)>>>(d_in, d_out, rows, columns);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, bits: as task 2, with a thread for each word of 32 cells ----
__global__ void bits_kernel(const unsigned* d_in, unsigned* d_out, int rows, int columns) {
    // 5.1  Bit x of a word is to be the left neighbour of cell x. Which shift is that, and what comes into bit 0?
    // 5.2  Which bit of a row's last word is the last cell, if columns is no multiple of 32?
    // 5.3  A sum of three bits has two digits. Which operations give the lower one, and which the upper one?
}

void bits(const unsigned* d_in, unsigned* d_out, int rows, int columns, int generations, Workspace& work) {
    todo("5");
    dim3 grid(1, 1);  // not right yet: how many words does a row have?
    bits_kernel<<<grid, dim3(kBlockX, kBlockY)>>>(d_in, d_out, rows, columns);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 6, temporal: as task 4, with up to kHalo generations in a launch ----
constexpr int kHalo = 4;

__global__ void temporal_kernel(const unsigned char* d_in, unsigned char* d_out, int rows, int columns,
                                int generations) {
    // 6.1  After one generation in shared memory, which cells of the block are still right? And after kHalo?
    // 6.2  The board may have fewer than kHalo rows. How does the halo wrap then?
}

void temporal(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations,
              Workspace& work) {
    todo("6");
    // 6.3  How many launches do 10 generations need, and how many generations has the last one?
    dim3 grid(1, 1);  // not right yet
    temporal_kernel<<<grid, dim3(64, kBlockY)>>>(d_in, d_out, rows, columns, kHalo);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 7, heat: a warp walks down 32 columns, with three rows in registers ----
constexpr int kColumns = 30;  // that a warp stores
constexpr int kWarps = 4;     // of a block

__global__ void heat_kernel(const float* d_in, float* d_out, int rows, int columns) {
    // 7.1  Which lanes get both neighbours by shuffles? Which column does lane 0 have, so that kColumns are stored?
    // 7.2  Going down a row, which two of above, here and below does the thread already have?
}

void heat(const float* d_in, float* d_out, int rows, int columns, int steps, Workspace& work) {
    todo("7");
    dim3 grid(ceil_div(columns, kColumns), 1);  // not right yet: how many rows does a warp walk down?
    heat_kernel<<<grid, dim3(32, kWarps)>>>(d_in, d_out, rows, columns);
    CUDA_CHECK(cudaGetLastError());
}
