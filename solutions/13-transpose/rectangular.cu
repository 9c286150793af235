// Task 5, rectangular: as 3, for any numbers of rows and columns and any type. In place, a tile's transpose belongs where
// another tile still lies, so a block exchanges the two.
#include "tile.cuh"

// Launch: a block of kTile x kBlockY threads for each tile; those below the diagonal have nothing to do.
// Shared memory: two tiles.
template <class T>
__global__ void exchange_tiles(T* d_data, int side) {
    __shared__ Tile<T> s_one, s_other;
    int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
    if (top > left) return;
    load_tile(s_one, d_data, side, side, top, left);
    load_tile(s_other, d_data, side, side, left, top);
    __syncthreads();
    store_transpose(s_one, d_data, side, side, top, left);
    store_transpose(s_other, d_data, side, side, left, top);
}

template <class T>
void rectangular(const T* d_in, T* d_out, int rows, int columns) {
    if (rows == 0 || columns == 0) return;
    dim3 grid = tiles_of(rows, columns), block(kTile, kBlockY);
    if (d_in == d_out)
        exchange_tiles<<<grid, block>>>(d_out, rows);
    else
        transpose_tiles<<<grid, block>>>(d_in, d_out, rows, columns);
    CUDA_CHECK(cudaGetLastError());
}

template void rectangular(const unsigned char*, unsigned char*, int, int);
template void rectangular(const float*, float*, int, int);
template void rectangular(const double*, double*, int, int);
template void rectangular(const float4*, float4*, int, int);
