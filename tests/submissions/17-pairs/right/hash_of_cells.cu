// Style: no sort: a hash table of the cells that are not empty, filled with atomicCAS, with a list of points for each
#include "pairs.h"

constexpr unsigned kEmpty = 0xffffffffu;  // no cell has this number: there are fewer

struct Table {
    unsigned* cells;
    int* heads;
    unsigned mask;

    __device__ unsigned slot_of(unsigned cell) const { return cell * 2654435761u >> 7 & mask; }
};

__device__ unsigned cell_of(int row, int column, const Grid& g) { return unsigned(row) * unsigned(g.columns) + column; }

__global__ void insert(const Point* points, Table table, int* next, int n, Grid g) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned cell = cell_of((points[i].y - g.bottom) / g.side, (points[i].x - g.left) / g.side, g);
    unsigned slot = table.slot_of(cell);
    for (;; slot = (slot + 1) & table.mask) {
        const unsigned was = atomicCAS(table.cells + slot, kEmpty, cell);
        if (was == kEmpty || was == cell) break;
    }
    next[i] = atomicExch(table.heads + slot, i);
}

__device__ int head_of(const Table& table, unsigned cell) {
    for (unsigned slot = table.slot_of(cell); table.cells[slot] != kEmpty; slot = (slot + 1) & table.mask)
        if (table.cells[slot] == cell) return table.heads[slot];
    return -1;
}

__global__ void look_up(const Point* points, Table table, const int* next, int* counts, int n, int radius, Grid g) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Point p = points[i];
    const int row = (p.y - g.bottom) / g.side, column = (p.x - g.left) / g.side;
    int found = -1;
    for (int r = max(row - 1, 0); r <= min(row + 1, g.rows - 1); ++r)
        for (int c = max(column - 1, 0); c <= min(column + 1, g.columns - 1); ++c)
            for (int j = head_of(table, cell_of(r, c, g)); j != -1; j = next[j]) {
                const long long dx = points[j].x - p.x, dy = points[j].y - p.y;
                found += dx * dx + dy * dy <= 1LL * radius * radius;
            }
    counts[i] = found;
}

void sorted_cells(const Point* d_points, int* d_counts, int n, int radius, Grid grid, Workspace& work) {
    if (n == 0) return;
    unsigned size = 64;
    while (size < 2u * static_cast<unsigned>(n)) size *= 2;
    Table table{work.get<unsigned>(size), work.get<int>(size), size - 1};
    int* next = work.get<int>(n);
    CUDA_CHECK(cudaMemsetAsync(table.cells, 0xff, size * sizeof(unsigned)));
    CUDA_CHECK(cudaMemsetAsync(table.heads, 0xff, size * sizeof(int)));
    insert<<<ceil_div(n, 128), 128>>>(d_points, table, next, n, grid);
    CUDA_CHECK(cudaGetLastError());
    look_up<<<ceil_div(n, 128), 128>>>(d_points, table, next, d_counts, n, radius, grid);
    CUDA_CHECK(cudaGetLastError());
}
