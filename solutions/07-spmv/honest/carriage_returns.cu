// Style: the solution with CRLF line ends.
#include "spmv.h"
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kItems = 7;  // a thread's share. Odd, so that the 32 lanes' k-th items lie in 32 different banks
constexpr int kTile = kThreads * kItems;

struct Carry {
    float sum;
    int is_cut;
};

__device__ inline Carry join(Carry first, Carry second) {
    return {second.is_cut ? second.sum : first.sum + second.sum, first.is_cut | second.is_cut};
}

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

struct TileCarries {
    float* d_sums;
    int *d_rows, *d_heads;
};

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

__device__ int first_row_from(const int* d_row_ptr, int rows, int k) {
    int low = 0, high = rows;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (d_row_ptr[middle] < k)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void __launch_bounds__(kThreads) scan_tiles(Csr a, const float* d_x, float* d_y, TileCarries out) {
    __shared__ float s_sum[kTile];
    __shared__ int s_is_head[kTile];
    __shared__ int s_rows[2];
    int t = threadIdx.x, tile = blockIdx.x, first = tile * kTile;
    bool is_last = tile == static_cast<int>(gridDim.x) - 1;
    if (t < 2) s_rows[t] = t == 1 && is_last ? a.rows : first_row_from(a.d_row_ptr, a.rows, first + t * kTile);
    for (int k = t; k < kTile; k += kThreads) {
        int nonzero = first + k;
        s_sum[k] = nonzero < a.nonzeros ? a.d_values[nonzero] * d_x[a.d_cols[nonzero]] : 0;
        s_is_head[k] = 0;
    }
    __syncthreads();
    for (int row = s_rows[0] + t; row < s_rows[1]; row += kThreads) {
        int begin = a.d_row_ptr[row];
        if (begin < a.d_row_ptr[row + 1]) s_is_head[begin - first] = 1;
    }
    __syncthreads();

    int end = (kThreads - t) * kItems;
    Carry own = {0, 0};
    for (int k = end - 1; k >= end - kItems; --k) {
        own.sum += s_sum[k];
        if (s_is_head[k]) own = {0, 1};
    }
    float leaves_tile, sum = carry_in(own, leaves_tile);
    for (int k = end - 1; k >= end - kItems; --k) {
        sum += s_sum[k];
        s_sum[k] = sum;
        if (s_is_head[k]) sum = 0;
    }
    __syncthreads();

    for (int row = s_rows[0] + t; row < s_rows[1]; row += kThreads) {
        int begin = a.d_row_ptr[row];
        d_y[row] = begin < a.d_row_ptr[row + 1] ? s_sum[begin - first] : 0;
    }
    if (t != 0) return;
    out.d_sums[tile] = leaves_tile;  // part of the row that began before the tile
    out.d_rows[tile] = s_rows[0] - 1;
    if (tile == 0) out.d_heads[0] = 1;
    if (!is_last) out.d_heads[tile + 1] = s_rows[1] > s_rows[0];
}

void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    int tiles = max(ceil_div(a.nonzeros, kTile), 1);
    TileCarries carries = new_carries(tiles, work);
    scan_tiles<<<tiles, kThreads>>>(a, d_x, d_y, carries);
    CUDA_CHECK(cudaGetLastError());
    deliver(carries, tiles, d_y, work);
}
