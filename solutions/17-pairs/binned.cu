// Task 3, binned: only points in 3 x 3 cells can be near. Count the points of each cell, scan, and scatter the points
// to the places of their cells (lab 5): then the points of a cell are neighbours in memory, and so are those of the
// three cells of a row. Work: n times the points in 9 cells. Global memory: an element for each cell, empty or not.
#include "near.cuh"

constexpr int kBlock = 256;

__device__ int cell_of(Point p, Grid grid) { return row_of(p, grid) * grid.columns + column_of(p, grid); }

// Launch: a thread for each point. d_places[i]: which point of its cell i is. Whoever counts first is first: any order
// will do, because nobody asks which of them are near.
__global__ void count_cells(const Point* d_points, int* d_in_cell, int* d_places, int n, Grid grid) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_places[i] = atomicAdd(&d_in_cell[cell_of(d_points[i], grid)], 1);
}

// Launch: as above. d_begin[cell]: how many points are in the cells before it.
__global__ void scatter(const Point* d_points, const int* d_begin, const int* d_places, Point* d_binned, int n,
                        Grid grid) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_binned[d_begin[cell_of(d_points[i], grid)] + d_places[i]] = d_points[i];
}

// Launch: as above.
__global__ void count_near(const Point* d_points, const Point* d_binned, const int* d_begin, int* d_counts, int n,
                           long long square, Grid grid) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    Point own = d_points[i];
    int row = row_of(own, grid), column = column_of(own, grid), count = 0;
    int left = max(column - 1, 0), right = min(column + 1, grid.columns - 1);
    for (int r = max(row - 1, 0); r <= min(row + 1, grid.rows - 1); ++r) {
        int begin = d_begin[r * grid.columns + left], end = d_begin[r * grid.columns + right + 1];
        for (int j = begin; j < end; ++j)
            if (are_near(own, d_binned[j], square)) ++count;
    }
    d_counts[i] = count - 1;
}

void binned(const Point* d_points, int* d_counts, int n, int radius, Grid grid, Workspace& work) {
    if (n == 0) return;
    int cells = grid.columns * grid.rows, blocks = ceil_div(n, kBlock);
    int* d_in_cell = work.get<int>(cells);
    int* d_begin = work.get<int>(cells + 1);
    int* d_places = work.get<int>(n);
    auto* d_binned = work.get<Point>(n);
    CUDA_CHECK(cudaMemsetAsync(d_in_cell, 0, cells * sizeof(int)));
    count_cells<<<blocks, kBlock>>>(d_points, d_in_cell, d_places, n, grid);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_in_cell, d_begin, cells, work);
    scatter<<<blocks, kBlock>>>(d_points, d_begin, d_places, d_binned, n, grid);
    CUDA_CHECK(cudaGetLastError());
    count_near<<<blocks, kBlock>>>(d_points, d_binned, d_begin, d_counts, n, square_of(radius), grid);
    CUDA_CHECK(cudaGetLastError());
}
