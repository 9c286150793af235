// Task 4, tile: as 2, but a block copies its tile and a halo of one cell to shared memory first. The wrap is done once
// for each cell that is loaded, and neighbours are found by adding.
#include "torus.cuh"

constexpr int kTileX = 64, kTileY = 16;  // cells of a tile
constexpr int kBlockY = 4;               // a thread has kTileY / kBlockY cells of its column

// Launch: a block of kTileX x kBlockY threads for each tile. Shared memory: the tile and its halo.
__global__ void tile_kernel(const unsigned char* d_in, unsigned char* d_out, int rows, int columns) {
    __shared__ unsigned char s_cells[kTileY + 2][kTileX + 2];
    int left = blockIdx.x * kTileX, top = blockIdx.y * kTileY;
    // Load: cell (0, 0) of s_cells is the one above and to the left of the tile.
    for (int y = threadIdx.y; y < kTileY + 2; y += kBlockY)
        for (int x = threadIdx.x; x < kTileX + 2; x += kTileX)
            s_cells[y][x] = d_in[wrapped(top + y - 1, rows) * columns + wrapped(left + x - 1, columns)];
    __syncthreads();
    // Count: three neighbours above, two beside, three below.
    for (int y = threadIdx.y; y < kTileY; y += kBlockY) {
        if (top + y >= rows || left + threadIdx.x >= columns) continue;
        int x = threadIdx.x, count = s_cells[y + 1][x] + s_cells[y + 1][x + 2];
        for (int dx = 0; dx <= 2; ++dx) count += s_cells[y][x + dx] + s_cells[y + 2][x + dx];
        d_out[(top + y) * columns + left + x] = next_state(count, s_cells[y + 1][x + 1]);
    }
}

void tile(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work) {
    if (rows == 0 || columns == 0) return;
    dim3 grid(ceil_div(columns, kTileX), ceil_div(rows, kTileY)), block(kTileX, kBlockY);
    each_generation(d_in, d_out, rows * columns, generations, work, [=](const unsigned char* d_from, unsigned char* d_to) {
        tile_kernel<<<grid, block>>>(d_from, d_to, rows, columns);
    });
}
