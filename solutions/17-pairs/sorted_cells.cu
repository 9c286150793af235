// Task 4, sorted_cells: as 3, without memory for empty cells, and with a warp for the points of a cell. Sorted by cell,
// the points of a cell are neighbours, and where a cell begins is found by a search. All points of a cell have the same
// candidates: the lanes load each candidate once, and hold it against all of them. A cell with many points has many
// warps, so that nobody waits for the largest city.
// Work: as 3, and a sort. Global memory: nothing for empty cells; candidates are loaded once for all points of a share.
#include "cells.cuh"

// Launch: a warp for each share; those that are too many leave. Lane k holds the share's point k, and counts for it.
__global__ void count_near_sorted(Shares shares, int* d_counts, long long square, Grid grid) {
    int number = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (number >= *shares.d_count) return;
    const Sorted& in = shares.points;
    Share share = share_of(in, shares.d_first, number, grid);
    Point own = in.d_points[share.first + min(lane, share.size - 1)];
    int count = 0;
    for (int first = 0; first < share.candidates; first += 32) {
        bool exists = first + lane < share.candidates;
        Point other = exists ? in.d_points[share.candidate(first + lane)] : Point{0, 0};
        for (int k = 0; k < share.size; ++k) {
            bool is_hit = are_near(shuffle(own, k), other, square) && exists;  // all lanes must reach the shuffle
            unsigned hits = __ballot_sync(kAllLanes, is_hit);
            if (lane == k) count += __popc(hits);
        }
    }
    if (lane < share.size) d_counts[in.d_order[share.first + lane]] = count - 1;
}

void sorted_cells(const Point* d_points, int* d_counts, int n, int radius, Grid grid, Workspace& work) {
    if (n == 0) return;
    Shares shares = shares_of(d_points, n, grid, work);
    count_near_sorted<<<ceil_div(n, kWarps), kBlock>>>(shares, d_counts, square_of(radius), grid);
    CUDA_CHECK(cudaGetLastError());
}
