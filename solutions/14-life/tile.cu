// Task 4, tile: as 2, but a block copies its tile and a halo of one cell to shared memory first. There, a neighbour
// costs no index and no wrap. A thread walks down a few rows, and uses the sum of three cells of a row for three
// counts.
#include "torus.cuh"

constexpr int kTileX = 64, kTileY = 32;  // cells of a tile
constexpr int kBlockY = 4;
constexpr int kRows = kTileY / kBlockY;  // cells of a thread, one below the other

// Launch: a block of kTileX x kBlockY threads for each tile. Shared memory: the tile and its halo.
__global__ void tile_kernel(const unsigned char* d_in, unsigned char* d_out, int rows, int columns) {
    __shared__ unsigned char s_cells[kTileY + 2][kTileX + 2];
    int left = blockIdx.x * kTileX, top = blockIdx.y * kTileY;
    // Load: cell (0, 0) of s_cells is the one above and to the left of the tile.
    for (int x = threadIdx.x; x < kTileX + 2; x += kTileX) {
        int column = wrapped(left + x - 1, columns);
        for (int y = threadIdx.y; y < kTileY + 2; y += kBlockY)
            s_cells[y][x] = d_in[wrapped(top + y - 1, rows) * columns + column];
    }
    __syncthreads();
    // Count: the three cells above, the three of this row, the three below, without the cell itself.
    int x = threadIdx.x, first = threadIdx.y * kRows;
    auto three = [&](int y) { return s_cells[y][x] + s_cells[y][x + 1] + s_cells[y][x + 2]; };
    int above = three(first), here = three(first + 1);
    for (int y = first; y < first + kRows; ++y) {
        int below = three(y + 2), cell = s_cells[y + 1][x + 1];
        if (top + y < rows && left + x < columns)
            d_out[(top + y) * columns + left + x] = next_state(above + here + below - cell, cell);
        above = here;
        here = below;
    }
}

void tile(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    dim3 grid(ceil_div(columns, kTileX), ceil_div(rows, kTileY)), block(kTileX, kBlockY);
    each_generation(d_in, d_out, rows * columns, generations, work,
                    [=](const unsigned char* d_from, unsigned char* d_to) {
                        tile_kernel<<<grid, block>>>(d_from, d_to, rows, columns);
                    });
}
