// For tasks 4 and 8: all threads, and all tiles, have equally large shares, so a share may end within a row. The part
// of that row's sum that it has is its carry. The thread that writes the row must get it.
//   task 4    Carries go from right to left. A head is a row's first nonzero.
//   task 8    Carries go from left to right. is_cut means that a row ended in the share.
#pragma once

#include "spmv.h"

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;
constexpr int kItems = 7;  // a thread's share. Odd, so that the 32 lanes' k-th items lie in 32 different banks
constexpr int kTile = kBlock * kItems;

// What one share, or several neighbouring ones, passes on to the next. is_cut: there is a head in them, so the carry
// that they got stays with them, and what they pass on belongs to another row.
struct Carry {
    float sum;
    int is_cut;
};

// The carry of two neighbours together, where `first` passes its carry to `second`.
__device__ inline Carry join(Carry first, Carry second) {
    return {second.is_cut ? second.sum : first.sum + second.sum, first.is_cut | second.is_cut};
}

// Returns the sum that this thread gets from the threads before it. `own` is what it passes on if it gets nothing;
// block_out becomes what the whole block passes on. A segmented scan (Sengupta, Harris, Zhang and Owens, "Scan
// primitives for GPU computing", 2007). All threads of the block call this. Shared memory: a carry for each warp.
__device__ inline float carry_in(Carry own, float& block_out) {
    __shared__ Carry s_warps[kWarps];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        Carry left = {__shfl_up_sync(kAllLanes, own.sum, distance), __shfl_up_sync(kAllLanes, own.is_cut, distance)};
        if (lane >= distance) own = join(left, own);
    }
    Carry left = {__shfl_up_sync(kAllLanes, own.sum, 1), __shfl_up_sync(kAllLanes, own.is_cut, 1)};
    if (lane == 31) s_warps[warp] = own;
    __syncthreads();

    Carry before = {0, 0}, all = {0, 0};
    for (int w = 0; w < kWarps; ++w) {
        if (w == warp) before = all;
        all = join(all, s_warps[w]);
    }
    block_out = all.sum;
    return lane == 0 ? before.sum : join(before, left).sum;
}

// ---- From tile to tile: another launch delivers the carries ----

// For each tile: the sum that it passes on; the row that this belongs to, or -1; and, as a head for the segmented sum,
// whether that row is another one than that of the tile before.
struct TileCarries {
    float* d_sums;
    int *d_rows, *d_heads;
};

// Launch: a thread for each tile. d_sums are summed by row already: of the tiles with carries for the same row, the
// last one has the total.
static __global__ void add_carries(TileCarries carries, int tiles, float* d_y) {
    int tile = blockIdx.x * kBlock + threadIdx.x;
    if (tile >= tiles || (tile + 1 < tiles && !carries.d_heads[tile + 1])) return;
    int row = carries.d_rows[tile];
    if (row >= 0) d_y[row] += carries.d_sums[tile];
}

inline TileCarries new_carries(int tiles, Workspace& work) {
    return {work.get<float>(tiles), work.get<int>(tiles), work.get<int>(tiles)};
}

inline void deliver(TileCarries carries, int tiles, float* d_y, Workspace& work) {
    primitives::segmented_inclusive_sum(carries.d_sums, carries.d_heads, carries.d_sums, tiles, work);
    add_carries<<<ceil_div(tiles, kBlock), kBlock>>>(carries, tiles, d_y);
    CUDA_CHECK(cudaGetLastError());
}
