// Lab 13, transpose: the one file you edit. Handout: README.md, contract: transpose.h. Then: make lab13 && ./grader
#include "transpose.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, kAllLanes

constexpr int kTile = 32;   // rows and columns of a tile, and threads of a block in x
constexpr int kBlockY = 8;  // threads of a block in y

// ---- Task 1, naive: a thread for each element, in blocks of kTile x kBlockY threads ----
__global__ void naive_kernel(const float* d_in, float* d_out, int side) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < side && col < side)
        d_out[col * side + row] = d_in[row * side + col];
}

void naive(const float* d_in, float* d_out, int side) {
    if (side == 0) return;
    dim3 grid(ceil_div(side, kTile), ceil_div(side, kBlockY));
    naive_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, tile: a block of kTile x kBlockY threads for each tile of kTile x kTile elements ----
__global__ void tile_kernel(const float* d_in, float* d_out, int side) {
    __shared__ float s_tile[kTile][kTile];
    int x = blockIdx.x * kTile + threadIdx.x;
    int y = blockIdx.y * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kBlockY)
        if (x < side && y + k < side)
            s_tile[threadIdx.y + k][threadIdx.x] = d_in[(y + k) * side + x];
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x;
    y = blockIdx.x * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kBlockY)
        if (x < side && y + k < side)
            d_out[(y + k) * side + x] = s_tile[threadIdx.x][threadIdx.y + k];
}

void tile(const float* d_in, float* d_out, int side) {
    if (side == 0) return;
    dim3 grid(ceil_div(side, kTile), ceil_div(side, kTile));
    tile_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, padded: as task 2, without bank conflicts ----
__global__ void padded_kernel(const float* d_in, float* d_out, int side) {
    __shared__ float s_tile[kTile][kTile + 1];
    int x = blockIdx.x * kTile + threadIdx.x;
    int y = blockIdx.y * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kBlockY)
        if (x < side && y + k < side)
            s_tile[threadIdx.y + k][threadIdx.x] = d_in[(y + k) * side + x];
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x;
    y = blockIdx.x * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kBlockY)
        if (x < side && y + k < side)
            d_out[(y + k) * side + x] = s_tile[threadIdx.x][threadIdx.y + k];
}

void padded(const float* d_in, float* d_out, int side) {
    if (side == 0) return;
    dim3 grid(ceil_div(side, kTile), ceil_div(side, kTile));
    padded_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, swizzled: as task 3, but the tile takes no more than kTile * kTile floats ----
__global__ void swizzled_kernel(const float* d_in, float* d_out, int side) {
    __shared__ float s_tile[kTile][kTile];
    int x = blockIdx.x * kTile + threadIdx.x;
    int y = blockIdx.y * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kBlockY)
        if (x < side && y + k < side)
            s_tile[threadIdx.y + k][threadIdx.x ^ (threadIdx.y + k)] = d_in[(y + k) * side + x];
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x;
    y = blockIdx.x * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kBlockY)
        if (x < side && y + k < side)
            d_out[(y + k) * side + x] = s_tile[threadIdx.x][(threadIdx.y + k) ^ threadIdx.x];
}

void swizzled(const float* d_in, float* d_out, int side) {
    if (side == 0) return;
    dim3 grid(ceil_div(side, kTile), ceil_div(side, kTile));
    swizzled_kernel<<<grid, dim3(kTile, kBlockY)>>>(d_in, d_out, side);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 5, rectangular: rows x columns elements of any type, also in place ----
template <class T>
__global__ void rectangular_kernel(const T* d_in, T* d_out, int rows, int columns) {
    __shared__ T s_tile[kTile][kTile + 1];
    int x = blockIdx.x * kTile + threadIdx.x;
    int y = blockIdx.y * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kBlockY)
        if (x < columns && y + k < rows)
            s_tile[threadIdx.y + k][threadIdx.x] = d_in[(y + k) * columns + x];
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x;
    y = blockIdx.x * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kBlockY)
        if (x < rows && y + k < columns)
            d_out[(y + k) * rows + x] = s_tile[threadIdx.x][threadIdx.y + k];
}

template <class T>
__global__ void in_place_kernel(T* d_data, int side) {
    __shared__ T s_a[kTile][kTile + 1];
    __shared__ T s_b[kTile][kTile + 1];
    int ax = blockIdx.x * kTile + threadIdx.x, ay = blockIdx.y * kTile + threadIdx.y;
    int bx = blockIdx.y * kTile + threadIdx.x, by = blockIdx.x * kTile + threadIdx.y;
    for (int k = 0; k < kTile; k += kBlockY) {
        if (ax < side && ay + k < side) s_a[threadIdx.y + k][threadIdx.x] = d_data[(ay + k) * side + ax];
        if (bx < side && by + k < side) s_b[threadIdx.y + k][threadIdx.x] = d_data[(by + k) * side + bx];
    }
    __syncthreads();
    for (int k = 0; k < kTile; k += kBlockY) {
        if (bx < side && by + k < side) d_data[(by + k) * side + bx] = s_a[threadIdx.x][threadIdx.y + k];
        if (ax < side && ay + k < side) d_data[(ay + k) * side + ax] = s_b[threadIdx.x][threadIdx.y + k];
    }
}

template <class T>
void rectangular(const T* d_in, T* d_out, int rows, int columns) {
    if (rows == 0 || columns == 0) return;
    dim3 grid(ceil_div(columns, kTile), ceil_div(rows, kTile));
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
void to_arrays(const unsigned* d_structures, unsigned* d_arrays, int n) {
    todo("6");
    to_arrays_kernel<kWords><<<1, kBlock>>>(d_structures, d_arrays, n);  // not right yet: 1 block
    CUDA_CHECK(cudaGetLastError());
}

template <int kWords>
void to_structures(const unsigned* d_arrays, unsigned* d_structures, int n) {
    todo("6");
    to_structures_kernel<kWords><<<1, kBlock>>>(d_arrays, d_structures, n);  // not right yet: 1 block
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
    // 7.2  With a thread for each column, the sums over columns are coalesced, too. Why is that slow for few columns?
    // 7.3  Which kernel of this file makes columns into rows? How many launches do you need, and how many more arrays?
}

#include "grading/instantiations.h"  // what is graded; leave this line at the end
