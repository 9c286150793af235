// Style: no scan: the points of a cell are a linked list, to whose head each point hangs itself with atomicExch
#include "pairs.h"

__global__ void hang(const Point* points, int* heads, int* next, int n, Grid grid) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int column = (points[i].x - grid.left) / grid.side, row = (points[i].y - grid.bottom) / grid.side;
    next[i] = atomicExch(heads + row * grid.columns + column, i);
}

__global__ void walk(const Point* points, const int* heads, const int* next, int* counts, int n, int radius,
                     Grid grid) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Point p = points[i];
    const int column = (p.x - grid.left) / grid.side, row = (p.y - grid.bottom) / grid.side;
    int found = 0;
    for (int k = 0; k < 9; ++k) {
        const int c = column + k % 3 - 1, r = row + k / 3 - 1;
        if (c < 0 || r < 0 || c >= grid.columns || r >= grid.rows) continue;
        for (int j = heads[r * grid.columns + c]; j >= 0; j = next[j]) {
            const long long dx = points[j].x - p.x, dy = points[j].y - p.y;
            if (j != i && dx * dx + dy * dy <= 1LL * radius * radius) ++found;
        }
    }
    counts[i] = found;
}

void binned(const Point* d_points, int* d_counts, int n, int radius, Grid grid, Workspace& work) {
    if (n == 0) return;
    const std::size_t cells = static_cast<std::size_t>(grid.columns) * grid.rows;
    int *heads = work.get<int>(cells), *next = work.get<int>(n);
    CUDA_CHECK(cudaMemsetAsync(heads, 0xff, cells * sizeof(int)));
    hang<<<ceil_div(n, 192), 192>>>(d_points, heads, next, n, grid);
    CUDA_CHECK(cudaGetLastError());
    walk<<<ceil_div(n, 192), 192>>>(d_points, heads, next, d_counts, n, radius, grid);
    CUDA_CHECK(cudaGetLastError());
}
