// Tasks 4 and 5: points sorted by cell, and the shares into which warps divide them.
#pragma once

#include <bit>

#include "near.cuh"

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

// The points in the order of their cells.
struct Sorted {
    const unsigned* d_cells;  // the number of each point's cell, ascending
    const int* d_order;       // its index in d_points
    const Point* d_points;
    int n;
};

// A warp's share: at most 32 points, all of the same cell, and all that may be near them.
struct Share {
    int first, size;          // its points
    int begin[3], length[3];  // the points in 3 rows of 3 cells: each row is a run of neighbours
    int candidates;           // in all three

    // Candidate c of all, 0 <= c < candidates, as an index of the sorted points.
    __device__ int candidate(int c) const {
        if (c < length[0]) return begin[0] + c;
        c -= length[0];
        return c < length[1] ? begin[1] + c : begin[2] + c - length[1];
    }
};

// The first sorted point whose cell is `cell` or a later one.
__device__ inline int first_at(Sorted in, unsigned cell) {
    int low = 0, high = in.n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (in.d_cells[middle] < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Called by a whole warp: six lanes search at once for the begin and the end of a row of three cells.
__device__ inline Share share_of(Sorted in, const int* d_first, int number, Grid grid) {
    Share share;
    share.first = d_first[number];
    share.size = d_first[number + 1] - share.first;
    unsigned cell = in.d_cells[share.first];
    int row = cell / grid.columns, column = cell % grid.columns, lane = threadIdx.x % 32;
    int r = row - 1 + lane / 2, c = lane % 2 == 0 ? max(column - 1, 0) : min(column + 2, grid.columns);
    int bound = 0;  // of both ends of a row outside the grid, which has no points
    if (lane < 6 && r >= 0 && r < grid.rows) bound = first_at(in, static_cast<unsigned>(r) * grid.columns + c);
    share.candidates = 0;
    for (int k = 0; k < 3; ++k) {
        share.begin[k] = __shfl_sync(kAllLanes, bound, 2 * k);
        share.length[k] = __shfl_sync(kAllLanes, bound, 2 * k + 1) - share.begin[k];
        share.candidates += share.length[k];
    }
    return share;
}

// ---- Sorting, and numbering the shares ----

// Launch: a thread for each point.
static __global__ void number_cells(const Point* d_points, unsigned* d_cells, int* d_indices, int n, Grid grid) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    d_cells[i] = static_cast<unsigned>(row_of(d_points[i], grid)) * grid.columns + column_of(d_points[i], grid);
    d_indices[i] = i;
}

// Launch: as above. A share begins where a cell begins, and at every 32nd point: so it has 32 points at most, wherever
// the cell begins, and a cell with many points has many warps.
static __global__ void gather(const Point* d_points, Sorted sorted, Point* d_sorted, int* d_begins) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= sorted.n) return;
    d_sorted[i] = d_points[sorted.d_order[i]];
    d_begins[i] = i % 32 == 0 || sorted.d_cells[i] != sorted.d_cells[i - 1] ? 1 : 0;
}

// Launch: as above. d_number[i]: how many shares begin before point i; d_first[s]: where share s begins.
static __global__ void list_shares(const int* d_begins, const int* d_number, int* d_first, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    if (d_begins[i] == 1) d_first[d_number[i]] = i;
    if (i == n - 1) d_first[d_number[n]] = n;  // the end of the last share
}

struct Shares {
    Sorted points;
    const int* d_first;  // of each share, and the end of the last
    const int* d_count;  // how many shares there are: the host does not know it, and there are n at most
};

inline Shares shares_of(const Point* d_points, int n, Grid grid, Workspace& work) {
    int blocks = ceil_div(n, kBlock);
    auto* d_cells = work.get<unsigned>(n);
    auto* d_sorted_cells = work.get<unsigned>(n);
    auto* d_sorted = work.get<Point>(n);
    int* d_indices = work.get<int>(n);
    int* d_order = work.get<int>(n);
    int* d_begins = work.get<int>(n);
    int* d_number = work.get<int>(n + 1);
    int* d_first = work.get<int>(n + 1);
    number_cells<<<blocks, kBlock>>>(d_points, d_cells, d_indices, n, grid);
    CUDA_CHECK(cudaGetLastError());
    unsigned last = static_cast<unsigned>(grid.rows) * static_cast<unsigned>(grid.columns) - 1;
    primitives::sort_pairs(d_cells, d_indices, d_sorted_cells, d_order, n, work, std::bit_width(last));
    Sorted sorted{d_sorted_cells, d_order, d_sorted, n};
    gather<<<blocks, kBlock>>>(d_points, sorted, d_sorted, d_begins);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_begins, d_number, n, work);
    list_shares<<<blocks, kBlock>>>(d_begins, d_number, d_first, n);
    CUDA_CHECK(cudaGetLastError());
    return {sorted, d_first, d_number + n};
}
