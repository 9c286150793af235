// Lab 13, transpose: the one file you edit. Handout: README.md, contract: transpose.h. Then: make lab13 && ./grader
#include "transpose.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, kAllLanes

constexpr int kTile = 32;   // rows and columns of a tile, and threads of a block in x
constexpr int kBlockY = 8;  // threads of a block in y

// ---- Task 1, naive: a thread for each element, in blocks of kTile x kBlockY threads ----
__global__ void naive_kernel(const float* d_in, float* d_out, int side) {
    // 1.1  Which row and column has this thread, if any? Neighbouring lanes should load neighbouring elements.
    // 1.2  How far apart are the places where two neighbouring lanes store?
}

void naive(const float* d_in, float* d_out, int side) {
    todo("1");        // take this line out when you start; until then the verdict is SKIP
    dim3 grid(1, 1);  // not right yet: how many blocks in x, how many in y, and what if side is 0?
    naive_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, tile: a block of kTile x kBlockY threads for each tile of kTile x kTile elements ----
__global__ void tile_kernel(const float* d_in, float* d_out, int side) {
    // 2.1  s_tile[kTile][kTile] has more elements than a block has threads. Which of them does a thread load?
    // 2.2  Which tile of the output is this block's, and which of its elements do neighbouring lanes store?
    // 2.3  A thread does not store what it has loaded. What must lie between?
}

void tile(const float* d_in, float* d_out, int side) {
    todo("2");
    dim3 grid(1, 1);  // not right yet: how many tiles?
    tile_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, padded: begin with a copy of your kernel of task 2; take its bank conflicts out ----
__global__ void padded_kernel(const float* d_in, float* d_out, int side) {
    // 3.1  A word's bank is its address, in words, modulo 32. In which banks does a column of s_tile lie?
    // 3.2  How long must a row be, so that each element of a column lies in another bank?
}

void padded(const float* d_in, float* d_out, int side) {
    todo("3");
    dim3 grid(1, 1);  // not right yet
    padded_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, swizzled: as task 3, but the tile takes no more than kTile * kTile floats ----
__global__ void swizzled_kernel(const float* d_in, float* d_out, int side) {
    // 4.1  Element x of row y lies at place x ^ y of its row. Why do no two elements of a row share a place?
    // 4.2  In which banks do the elements of a column lie now?
}

void swizzled(const float* d_in, float* d_out, int side) {
    todo("4");
    dim3 grid(1, 1);  // not right yet
    swizzled_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, rectangular: rows x columns elements of any type, also in place ----
template <class T>
__global__ void rectangular_kernel(const T* d_in, T* d_out, int rows, int columns) {
    // 5.1  How long is a row of the input, and how long is a row of the output?
    // 5.2  Which bound has threadIdx.x when you load, and which when you store?
}

template <class T>
__global__ void in_place_kernel(T* d_data, int side) {
    // 5.3  Where a block wants to store its tile, another tile lies. Who loads that one, and when? And on the diagonal?
}

template <class T>
void rectangular(const T* d_in, T* d_out, int rows, int columns) {
    todo("5");
    dim3 grid(1, 1);  // not right yet: is it columns or rows that make blocks in x?
    if (d_in == d_out)
        in_place_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_out, rows);
    else
        rectangular_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, rows, columns);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 6, layouts: a block of kBlock threads for every kBlock structures of kWords words ----
constexpr int kBlock = 256;

template <int kWords>
__global__ void to_arrays_kernel(const unsigned* d_structures, unsigned* d_arrays, int n) {
    // 6.1  In which order must the block load its kBlock * kWords words, so that every request is coalesced?
    // 6.2  Then thread t stores word w of structure t. For which numbers of words does that conflict in banks?
}

template <int kWords>
__global__ void to_structures_kernel(const unsigned* d_arrays, unsigned* d_structures, int n) {
    // 6.3  The way back. The last block may have fewer structures: how many words are that?
}

template <int kWords>
void layouts(const unsigned* d_in, unsigned* d_out, int n, bool to_arrays) {
    todo("6");
    if (to_arrays)  // not right yet: 1 block
        to_arrays_kernel<kWords><<<1, kBlock>>>(d_in, d_out, n);
    else
        to_structures_kernel<kWords><<<1, kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 7, summed_area: sums over each row, then over each column ----
// A warp for each row; the input is bytes in the first pass and sums in the second.
template <class T>
__global__ void scan_rows(const T* d_in, unsigned* d_out, int rows, int columns) {
    // 7.1  A warp scans 32 neighbours with shuffles (lab 3). What does it carry to the next 32?
}

void summed_area(const unsigned char* d_in, unsigned* d_out, int rows, int columns, Workspace& work) {
    todo("7");
    // 7.2  Which kernel of this file makes columns into rows? How many launches do you need, and how many more arrays?
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
