// Style: one cooperative launch for all generations: grid.sync() where others launch again
#include <cooperative_groups.h>

#include "life.h"

namespace cg = cooperative_groups;

__global__ void all_in_one(const unsigned char* in, unsigned char* out, unsigned char* other, int rows, int columns,
                           int generations) {
    cg::grid_group grid = cg::this_grid();
    const int cells = rows * columns;
    const unsigned char* from = in;
    for (int left = generations; left > 0; --left) {
        unsigned char* to = left & 1 ? out : other;
        for (int i = grid.thread_rank(); i < cells; i += grid.size()) {
            const int y = i / columns, x = i - y * columns;
            const int up = (y == 0 ? rows : y) - 1, down = y + 1 == rows ? 0 : y + 1;
            const int west = (x == 0 ? columns : x) - 1, east = x + 1 == columns ? 0 : x + 1;
            int sum = 0;
            for (int row : {up, y, down}) sum += from[row * columns + west] + from[row * columns + east];
            sum += from[up * columns + x] + from[down * columns + x];
            to[i] = sum == 3 || (sum == 2 && from[i]);
        }
        from = to;
        grid.sync();
    }
    if (generations == 0)
        for (int i = grid.thread_rank(); i < cells; i += grid.size()) out[i] = in[i];
}

void life(const unsigned char* d_in, unsigned char* d_out, int rows, int columns, int generations, Workspace& work) {
    if (rows * columns == 0) return;
    unsigned char* d_other = work.get<unsigned char>(rows * columns);
    int device = 0, processors = 0, blocks = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, all_in_one, 256, 0));
    int grid = processors * blocks;
    if (grid > ceil_div(rows * columns, 256)) grid = ceil_div(rows * columns, 256);
    void* arguments[] = {&d_in, &d_out, &d_other, &rows, &columns, &generations};
    CUDA_CHECK(cudaLaunchCooperativeKernel(all_in_one, dim3(grid), dim3(256), arguments, 0, nullptr));
}
