// Lab 17, pairs: the one file you edit. Handout: README.md, contract: pairs.h. Then: make lab17 && ./grader
// "Kernel NAME" says what a kernel must do. You write it and launch it; which parameters it takes is up to you.
#include "pairs.h"  // the contract; todo(), CUDA_CHECK, ceil_div, Workspace, primitives, kAllLanes, shuffle()

constexpr int kBlock = 256;

__device__ bool are_near(Point a, Point b, int radius) {
    // 1.1  On a map of 1,000 km, how many bits has dx * dx + dy * dy? And in which type does C++ multiply two ints?
    return false;  // not right yet
}

// ---- Task 1, all_pairs: a thread for each point, which looks at all points ----
__global__ void all_pairs_kernel(const Point* d_points, int* d_counts, int n, int radius) {
    // 1.2  Which point is this thread's, if any? The loop over all points also meets this one: is it near itself?
}

void all_pairs(const Point* d_points, int* d_counts, int n, int radius) {
    todo("1");  // take this line out when you start; until then the verdict is SKIP
    // not right yet: one block, whatever n is; and what if n is 0?
    all_pairs_kernel<<<1, kBlock>>>(d_points, d_counts, n, radius);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 2, tiled: a thread for each point; the block looks at a tile of kBlock points at a time ----
// Shared memory: Point s_tile[kBlock].
__global__ void tiled_kernel(const Point* d_points, int* d_counts, int n, int radius) {
    // 2.1  Which point does a thread load for the tile that begins at point `first`?
    // 2.2  Two kinds of barriers are needed in each turn of the loop. What does each of them order?
    // 2.3  The last tile may not be full, and the last block may have threads without a point. What do those do?
}

void tiled(const Point* d_points, int* d_counts, int n, int radius) {
    todo("2");
    tiled_kernel<<<1, kBlock>>>(d_points, d_counts, n, radius);  // not right yet
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 3, binned: count, scan, scatter; a thread for each point in every kernel ----
// 3.1  x = -1, left = -10, side = 8. In which column is the point? What do x / side and left / side give in C++?

// Kernel count_cells: counts the points of each cell, and notes for each point which point of its cell it is.
// 3.2  Thousands of threads count in the same cell. Which function adds 1, and tells you what was there before?

// Kernel scatter, after a scan of the counts: copies each point to its place, cell by cell.

// Launch: a thread for each point. The points of cell c are d_binned[d_begin[c]] to d_binned[d_begin[c + 1] - 1].
__global__ void count_near(const Point* d_points, const Point* d_binned, const int* d_begin, int* d_counts, int n,
                           int radius, Grid grid) {
    // 3.3  Three cells side by side are one run of neighbours in d_binned. Where does it begin, and where does it end?
    // 3.4  What lies to the left of column 0, and below row 0?
}

void binned(const Point* d_points, int* d_counts, int n, int radius, Grid grid, Workspace& work) {
    todo("3");
    int cells = grid.columns * grid.rows;
    int* d_in_cell = work.get<int>(cells);  // not right yet: garbage, and nobody counts
    int* d_begin = work.get<int>(cells + 1);
    auto* d_binned = work.get<Point>(n);
    primitives::exclusive_sum(d_in_cell, d_begin, cells, work);
    count_near<<<ceil_div(n, kBlock), kBlock>>>(d_points, d_binned, d_begin, d_counts, n, radius, grid);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Task 4, sorted_cells: points sorted by cell; a warp for at most 32 points of the same cell, its share ----
// Kernel number_cells, a thread for each point: writes the number of its cell, an unsigned, and its index.
// Then primitives::sort_pairs() sorts the indices by cell.
// 4.1  How many bits has the number of the last cell? Each 8 bits more cost a pass.

// Kernel gather, a thread for each point: copies the points into the new order; writes 1 where a share begins, else 0.
// 4.2  A share has at most 32 points of one cell. A cell may have thousands: where else may a share begin?

// Kernel list_shares, after a scan of those: writes where each share begins, and where the last one ends.

// Kernel count_near_sorted, a warp for each share: finds all points in 3 x 3 cells, and counts for the share's points.
// 4.3  There is no array of cells. How do you find where a cell begins in a sorted array? And where three cells end?
// 4.4  Each lane holds a candidate, and lane k the share's point k. How do all lanes see point k, and how does lane k
//      learn how many of them are near it?

void sorted_cells(const Point* d_points, int* d_counts, int n, int radius, Grid grid, Workspace& work) { todo("4"); }

// ---- Task 5, pairs_out: the pairs, in order ----
// Kernel find_pairs, as count_near_sorted: writes each pair with first < second, in any order, and counts them.
// 5.1  Each lane has found some pairs. How do 32 lanes get places for all of them with a single atomicAdd?

// Kernel join, a thread for each pair: makes Pairs of two sorted arrays.
// 5.2  Two stable sorts make the order. By which of the two indices do you sort first?

void pairs_out(const Point* d_points, Pair* d_pairs, int* d_count, int n, int radius, Grid grid, int room,
               Workspace& work) {
    todo("5");
    // 5.3  The host must know how many pairs to sort. How does it learn that? And what must d_count be for n = 0?
}
