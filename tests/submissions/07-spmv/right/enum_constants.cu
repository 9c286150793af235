// Style: constants as enumerators instead of constexpr. Every thread walks along its own piece of the merge path.
#include "spmv.h"
enum : int { kThreads = 256 };
enum : int { kWarps = kThreads / 32 };
enum : int { kItems = 7 };  // a thread's share. Odd, so that the 32 lanes' k-th items lie in 32 different banks
enum : int { kTile = kThreads * kItems };

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
    add_carries<<<ceil_div<int>(tiles, kThreads), kThreads>>>(carries, tiles, d_y);
    CUDA_CHECK(cudaGetLastError());
}

__device__ int rows_ended(const int* row_end, int rows, int nonzeros, int diagonal) {
    int low = max(0, diagonal - nonzeros), high = min(diagonal, rows);
    while (low < high) {
        int i = low + (high - low) / 2;
        if (row_end[i] <= diagonal - 1 - i)
            low = i + 1;
        else
            high = i;
    }
    return low;
}

__global__ void __launch_bounds__(kThreads) walk_tiles(Csr a, const float* d_x, float* d_y, TileCarries out) {
    __shared__ float s_product[kTile], s_sum[kTile];
    __shared__ int s_end[kTile];
    __shared__ int s_rows[2];
    int t = threadIdx.x, tile = blockIdx.x;
    int first_step = tile * kTile, steps = min(kTile, a.rows + a.nonzeros - first_step);
    if (t < 2) s_rows[t] = rows_ended(a.d_row_ptr + 1, a.rows, a.nonzeros, first_step + t * steps);
    __syncthreads();
    int first_row = s_rows[0], rows = s_rows[1] - first_row;
    int first_nonzero = first_step - first_row, nonzeros = steps - rows;
    for (int i = t; i < rows; i += kThreads) s_end[i] = a.d_row_ptr[first_row + i + 1] - first_nonzero;
    for (int k = t; k < nonzeros; k += kThreads)
        s_product[k] = a.d_values[first_nonzero + k] * d_x[a.d_cols[first_nonzero + k]];
    __syncthreads();

    int step = min(t * kItems, steps), mine = min(kItems, steps - step);
    int first = rows_ended(s_end, rows, nonzeros, step), row = first, k = step - first;
    Carry own = {0, 0};
    for (int i = 0; i < mine; ++i) {
        if (row < rows && s_end[row] <= k) {
            s_sum[row++] = own.sum;
            own = {0, 1};
        } else {
            own.sum += s_product[k++];
        }
    }
    float leaves_tile, carry = carry_in(own, leaves_tile);
    if (own.is_cut) s_sum[first] += carry;
    __syncthreads();

    for (int i = t; i < rows; i += kThreads) d_y[first_row + i] = s_sum[i];
    if (t != 0) return;
    out.d_sums[tile] = leaves_tile;  // part of the row that goes on behind the tile
    out.d_rows[tile] = s_rows[1] < a.rows ? s_rows[1] : -1;
    out.d_heads[tile] = tile == 0 || rows > 0;
}

void merge_path(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    int tiles = ceil_div<int>(a.rows + a.nonzeros, kTile);
    TileCarries carries = new_carries(tiles, work);
    walk_tiles<<<tiles, kThreads>>>(a, d_x, d_y, carries);
    CUDA_CHECK(cudaGetLastError());
    deliver(carries, tiles, d_y, work);
}
