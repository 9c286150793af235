// For rung 4: threads and blocks have equal shares of the work, so a share may end within a row. What a
// thread or a block has added up of such a row is a carry; whoever finishes the row has to get it.
#pragma once

#include "spmv.h"

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kItems = 7;  // a thread's share. Odd, so that the 32 lanes' k-th items lie in 32 different banks
constexpr int kTile = kThreads * kItems;

// What leaves one share, or several neighbouring ones. is_cut: a row was finished in them, so nothing that came in goes
// out again.
struct Carry {
    float sum;
    int is_cut;
};

__device__ inline Carry join(Carry first, Carry second) {
    return {second.is_cut ? second.sum : first.sum + second.sum, first.is_cut | second.is_cut};
}

// Returns what comes in to this thread's share from the threads before it; block_out: what leaves the block.
// A segmented scan (Sengupta, Harris, Zhang and Owens, "Scan primitives for GPU computing", 2007).
// All threads of the block call this. Shared memory: a carry for each warp.
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

// ---- From block to block: delivered by a launch of its own ----

// For each tile: what leaves it; the row that this belongs to, or -1; and whether the tile before it has another row.
struct TileCarries {
    float* d_sums;
    int *d_rows, *d_heads;
};

// Launch: a thread for each tile. Where neighbouring tiles have carries of the same row, the last one has their sum.
static __global__ void add_carries(TileCarries carries, int tiles, float* d_y) {
    int tile = blockIdx.x * kThreads + threadIdx.x;
    if (tile >= tiles || (tile + 1 < tiles && !carries.d_heads[tile + 1])) return;
    int row = carries.d_rows[tile];
    if (row >= 0) d_y[row] += carries.d_sums[tile];
}

inline TileCarries new_carries(int tiles, Workspace& work) {
    return {work.get<float>(tiles), work.get<int>(tiles), work.get<int>(tiles)};
}

inline void deliver(TileCarries carries, int tiles, float* d_y, Workspace& work) {
    primitives::segmented_inclusive_sum(carries.d_sums, carries.d_heads, carries.d_sums, tiles, work);
    add_carries<<<ceil_div(tiles, kThreads), kThreads>>>(carries, tiles, d_y);
    CUDA_CHECK(cudaGetLastError());
}
