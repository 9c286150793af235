// Task 6, temporal: as 4, but with a halo of kHalo cells. Each generation needs a ring of cells around those that it
// computes, so the cells that are right shrink by one on every side; after kHalo generations, the tile is left.
#include "torus.cuh"

constexpr int kHalo = 4;   // generations a launch
constexpr int kSide = 64;  // of a tile with its halo, and threads of a block in x
constexpr int kTile = kSide - 2 * kHalo;
constexpr int kBlockY = 8;
constexpr int kRows = kSide / kBlockY;  // cells of a thread, one below the other

// Launch: a block of kSide x kBlockY threads for each tile. Shared memory: two tiles with their halos.
// Computes `generations` <= kHalo generations.
__global__ void temporal_kernel(const unsigned char* d_in, unsigned char* d_out, int rows, int columns,
                                int generations) {
    __shared__ unsigned char s_boards[2][kSide][kSide];
    int left = blockIdx.x * kTile - kHalo, top = blockIdx.y * kTile - kHalo, x = threadIdx.x, now = 0;
    int first = threadIdx.y * kRows, column = wrapped(left + x, columns);
    for (int y = first; y < first + kRows; ++y) s_boards[now][y][x] = d_in[wrapped(top + y, rows) * columns + column];
    for (int g = 1; g <= generations; ++g) {
        __syncthreads();
        if (g <= x && x < kSide - g) {
            auto& s_cells = s_boards[now];
            auto three = [&](int y) { return s_cells[y][x - 1] + s_cells[y][x] + s_cells[y][x + 1]; };
            int begin = max(first, g), end = min(first + kRows, kSide - g);
            int above = three(begin - 1), here = three(begin);
            for (int y = begin; y < end; ++y) {
                int below = three(y + 1), cell = s_cells[y][x];
                s_boards[1 - now][y][x] = next_state(above + here + below - cell, cell);
                above = here;
                here = below;
            }
        }
        now = 1 - now;
    }
    // Store the tile: a thread has computed the cells that it stores.
    if (x < kHalo || x >= kSide - kHalo || left + x >= columns) return;
    for (int y = max(first, kHalo); y < min(first + kRows, kSide - kHalo); ++y)
        if (top + y < rows) d_out[(top + y) * columns + left + x] = s_boards[now][y][x];
}

void temporal(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations,
              Workspace& work) {
    if (rows == 0 || columns == 0) return;
    dim3 grid(ceil_div(columns, kTile), ceil_div(rows, kTile)), block(kSide, kBlockY);
    int done = 0, launches = ceil_div(generations, kHalo);
    each_generation(d_in, d_out, rows * columns, launches, work, [&](const unsigned char* d_from, unsigned char* d_to) {
        int now = min(kHalo, generations - done);
        temporal_kernel<<<grid, block>>>(d_from, d_to, rows, columns, now);
        done += now;
    });
}
