// Lab 17, pairs: the contract. What each task takes, returns, and may rely on.
//
// Points lie on a map, at whole metres. Two points are near each other if their distance is at most `radius`:
//     dx * dx + dy * dy <= radius * radius,  exactly: these are integers, of up to 53 bits.
#pragma once

#include "toolbox/basics.h"      // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/primitives.h"  // primitives::exclusive_sum(): n counts become n + 1 offsets, the last is the total
#include "toolbox/primitives_sort.h"  // primitives::sort_pairs(): a stable sort by keys, values move with their keys
#include "toolbox/shuffle.h"          // kAllLanes, the mask of a whole warp; shuffle() of a Point

constexpr int kFarthest = 1 << 25;   // metres: -kFarthest <= x, y <= kFarthest, twice round the Earth
constexpr int kMaxColumns = 65'535;  // of a grid; so many rows, too: a cell's number fits into an unsigned

// 8 bytes at a multiple of 8: one load or store for both.
struct alignas(8) Point {
    int x, y;
};

// Two points by their indices, first < second.
struct alignas(8) Pair {
    int first, second;
};

// The map in square cells of `side` metres. Row r, column c begins at x = left + c * side, y = bottom + r * side.
// All points are in the grid. side >= 1 and side >= radius: who is near a point is in its cell or in a cell beside it.
struct Grid {
    int left, bottom, side, columns, rows;
};

// Tasks 1 to 4: d_counts[i] = how many other points are near point i.

// Task 1: a thread for each point, which looks at all others.
void all_pairs(const Point* d_points, int* d_counts, int n, int radius);

// Task 2: as 1, but a block shares tiles of points in shared memory.
void tiled(const Point* d_points, int* d_counts, int n, int radius);

// Task 3: points are put into the cells of a grid; a thread looks at those in 3 x 3 cells.
// At most 4 n + 64 cells: you can afford an array with an element for each.
void binned(const Point* d_points, int* d_counts, int n, int radius, Grid grid, Workspace& work);

// Task 4: points are sorted by cell; a warp looks after the points of a cell.
// Up to 2^32 cells, most of them empty: you can not afford an array with an element for each.
void sorted_cells(const Point* d_points, int* d_counts, int n, int radius, Grid grid, Workspace& work);

// Task 5: the pairs themselves, ordered by their first index, and those of the same first by their second.
// *d_count = how many there are. d_pairs has room for `room` pairs, and there are not more. Grid as in task 4.
void pairs_out(const Point* d_points, Pair* d_pairs, int* d_count, int n, int radius, Grid grid, int room,
               Workspace& work);

// In every task
//   d_points   device memory, 256-byte aligned. Read only: the grader checks this. Several points may share a place.
//   d_counts, d_pairs, d_count
//              device memory, 256-byte aligned, full of garbage. Nothing may be written beyond the last pair.
//   n          0 <= n <= 20,000 in tasks 1 and 2, 2^22 in the others. A launch of 0 blocks is an error: for n = 0
//              do not launch. Task 5 has *d_count = 0 then.
//   radius     0 <= radius <= 2 * kFarthest. At radius 0, points at the same place are near each other.
//   room       task 5: room <= 2^26.
//   work       temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count).
//   the host   may read 64 bytes of device memory in task 5, with cudaMemcpy; in the other tasks nothing.
// A call may return before the device is done; it must leave no work on streams of its own.
