// What all tasks of the solution share: which points are near each other, and which cell a point is in.
#pragma once

#include "pairs.h"

// The square of the radius, as the host passes it to kernels: up to 2^52, so it needs 64 bits.
inline long long square_of(int radius) { return static_cast<long long>(radius) * radius; }

// Differences fit into an int, their squares do not.
__device__ inline bool are_near(Point a, Point b, long long square) {
    long long dx = a.x - b.x, dy = a.y - b.y;
    return dx * dx + dy * dy <= square;
}

// From the grid's corner, so that nothing is negative: -1 / side is 0, not -1.
__device__ inline int column_of(Point p, Grid grid) { return (p.x - grid.left) / grid.side; }
__device__ inline int row_of(Point p, Grid grid) { return (p.y - grid.bottom) / grid.side; }
