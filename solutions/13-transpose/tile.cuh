// A tile of a matrix of any type, for tasks 5 and 7: what a block loads row by row, it stores column by column.
#pragma once

#include "transpose.h"

constexpr int kTile = 32;
constexpr int kBlockY = 8;  // a thread has kTile / kBlockY elements of its column

template <class T>
using Tile = T[kTile][kTile + 1];

// Loads the tile whose first element is in row `top` and column `left` of rows x columns elements.
template <class T>
__device__ void load_tile(Tile<T>& s_tile, const T* d_in, int rows, int columns, int top, int left) {
    for (int y = threadIdx.y; y < kTile; y += kBlockY) {
        int row = top + y, column = left + threadIdx.x;
        if (row < rows && column < columns) s_tile[y][threadIdx.x] = d_in[row * columns + column];
    }
}

// Stores the transpose of what load_tile() has loaded, after a barrier.
template <class T>
__device__ void store_transpose(const Tile<T>& s_tile, T* d_out, int rows, int columns, int top, int left) {
    for (int x = threadIdx.y; x < kTile; x += kBlockY) {
        int row = top + threadIdx.x, column = left + x;
        if (row < rows && column < columns) d_out[column * rows + row] = s_tile[threadIdx.x][x];
    }
}

// Launch: a block of kTile x kBlockY threads for each tile. Shared memory: the tile.
template <class T>
__global__ void transpose_tiles(const T* d_in, T* d_out, int rows, int columns) {
    __shared__ Tile<T> s_tile;
    int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
    load_tile(s_tile, d_in, rows, columns, top, left);
    __syncthreads();
    store_transpose(s_tile, d_out, rows, columns, top, left);
}

inline dim3 tiles_of(int rows, int columns) { return dim3(ceil_div(columns, kTile), ceil_div(rows, kTile)); }
