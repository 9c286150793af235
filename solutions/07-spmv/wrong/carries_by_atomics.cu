// verdict: WA task=segmented_scan
// because: not the same bits from run to run
// What leaves a tile is added to y by an atomic, after all tiles, so there is no race: but in another order each time.
#include "spmv.h"

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kItems = 7;  // of a thread. Odd: its neighbours' items then lie in other banks than its own
constexpr int kTile = kThreads * kItems;

// What leaves one or more shares behind each other. is_cut: a row has been finished in them, so that nothing that came
// in goes out.
struct Carry {
    float sum;
    int is_cut;
};

__device__ inline Carry join(Carry first, Carry second) {
    return {second.is_cut ? second.sum : first.sum + second.sum, first.is_cut | second.is_cut};
}

// What comes in to each thread's share, from those of threads 0, 1, ... before it; and to all threads, what leaves the
// block. A segmented scan (Sengupta, Harris, Zhang and Owens, "Scan primitives for GPU computing", 2007).
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

// Launch: a thread for each tile. What leaves it goes to the row that it belongs to, in any order.
__global__ void add_carries(const float* d_sums, const int* d_rows, int tiles, float* d_y) {
    int tile = blockIdx.x * kThreads + threadIdx.x;
    if (tile < tiles && d_rows[tile] >= 0) atomicAdd(&d_y[d_rows[tile]], d_sums[tile]);
}

// The first row that begins at nonzero k or behind it; rows if there is none.
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

// Launch: a block of kThreads for each tile of kTile nonzeros; one block, if there are none.
// Shared memory: the tile's products, which become their sums; where rows begin; the tile's first row, and the next's.
__global__ void __launch_bounds__(kThreads)
    scan_tiles(Csr a, const float* d_x, float* d_y, float* d_sums, int* d_rows) {
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
    // An empty row has no head. It must not take the next row's either.
    for (int row = s_rows[0] + t; row < s_rows[1]; row += kThreads) {
        int begin = a.d_row_ptr[row];
        if (begin < a.d_row_ptr[row + 1]) s_is_head[begin - first] = 1;
    }
    __syncthreads();

    // Backwards: thread 0 has the last items, and what leaves a share goes to the left.
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
    d_sums[tile] = leaves_tile;  // of the row that began before the tile
    d_rows[tile] = s_rows[0] - 1;
}

void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    int tiles = max(ceil_div(a.nonzeros, kTile), 1);
    float* d_sums = work.get<float>(tiles);
    int* d_rows = work.get<int>(tiles);
    scan_tiles<<<tiles, kThreads>>>(a, d_x, d_y, d_sums, d_rows);
    CUDA_CHECK(cudaGetLastError());
    add_carries<<<ceil_div(tiles, kThreads), kThreads>>>(d_sums, d_rows, tiles, d_y);
    CUDA_CHECK(cudaGetLastError());
}
