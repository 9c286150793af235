// Rung 8, merge_path: as 4, but a tile has equally many row ends and nonzeros together, so a million empty rows are as
// much work as a million nonzeros. Merge the row ends (d_row_ptr[1], ...) with the indices of the nonzeros (0, 1, ...):
// a step along the path either adds a product or finishes a row. Cut the path into tiles of equally many steps (lab 5's
// load_balanced). Work O(rows + nonzeros), and no tile has more of it than any other. (Merrill and Garland, "Merge-based
// parallel sparse matrix-vector multiplication", 2016.)
#include "spmv.h"

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kItems = 8;  // a thread's loads that are under way at the same time
constexpr int kTile = kThreads * kItems;
constexpr int kLong = 32;  // nonzeros. A longer row is summed by a warp, others by a thread

// Of the first `diagonal` steps of the path, how many finish a row? Row i ends before nonzero k if row_end[i] <= k.
// All lanes of a warp ask together. They look at 32 places, not at one, so they need a fifth of the turns.
__device__ int rows_ended(const int* row_end, int rows, int nonzeros, int diagonal) {
    int low = max(0, diagonal - nonzeros), high = min(diagonal, rows), lane = threadIdx.x % 32;
    while (low < high) {
        int part = ceil_div(high - low, 32), i = low + (lane + 1) * part - 1;
        bool has_ended = i < high && row_end[i] <= diagonal - 1 - i;
        low += part * __popc(__ballot_sync(kAllLanes, has_ended));
        high = min(high, low + part - 1);
    }
    return low;
}

__device__ float sum_of_warp(float sum) {
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(kAllLanes, sum, distance);
    return sum;
}

// Launch: a block of kThreads for each tile of kTile steps. Shared memory: the tile's products and row ends, which are
// kTile together, and the end of what is left; how many rows end before the tile, and before its end.
__global__ void __launch_bounds__(kThreads)
    sum_tiles(Csr a, const float* d_x, float* d_y, float* d_carries, int* d_carry_rows) {
    __shared__ float s_product[kTile];
    __shared__ int s_end[kTile + 1];
    __shared__ int s_rows[2];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, tile = blockIdx.x;
    int first_step = tile * kTile, steps = min(kTile, a.rows + a.nonzeros - first_step);
    if (warp < 2) {
        int ended = rows_ended(a.d_row_ptr + 1, a.rows, a.nonzeros, first_step + warp * steps);
        if (lane == 0) s_rows[warp] = ended;
    }
    __syncthreads();
    int first_row = s_rows[0], rows = s_rows[1] - first_row;
    int first_nonzero = first_step - first_row, nonzeros = steps - rows;

    int col[kItems];
    float value[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        int k = i * kThreads + t;
        col[i] = k < nonzeros ? __ldcs(a.d_cols + first_nonzero + k) : 0;
        value[i] = k < nonzeros ? __ldcs(a.d_values + first_nonzero + k) : 0;
    }
    for (int i = t; i < rows; i += kThreads) s_end[i] = a.d_row_ptr[first_row + i + 1] - first_nonzero;
    if (t == 0) s_end[rows] = nonzeros;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        int k = i * kThreads + t;
        if (k < nonzeros) value[i] *= d_x[col[i]];
    }
#pragma unroll
    for (int i = 0; i < kItems; ++i) s_product[i * kThreads + t] = value[i];
    __syncthreads();

    // The last "row" is what is left at the end of the tile: it belongs to a row that ends in a later tile.
    auto finish = [&](int row, float sum) {
        if (row < rows) {
            d_y[first_row + row] = sum;
        } else {
            d_carries[tile] = sum;
            d_carry_rows[tile] = first_row + rows;
        }
    };
    for (int first = warp * 32; first <= rows; first += kThreads) {
        int row = first + lane, begin = 0, end = 0;
        if (row <= rows) {
            begin = row > 0 ? s_end[row - 1] : 0;
            end = s_end[row];
        }
        bool is_long = end - begin > kLong;
        if (row <= rows && !is_long) {
            float sum = 0;
            for (int k = begin; k < end; ++k) sum += s_product[k];
            finish(row, sum);
        }
        for (unsigned rest = __ballot_sync(kAllLanes, is_long); rest != 0; rest &= rest - 1) {
            int from = __ffs(rest) - 1;
            int long_begin = __shfl_sync(kAllLanes, begin, from), long_end = __shfl_sync(kAllLanes, end, from);
            float sum = 0;
            for (int k = long_begin + lane; k < long_end; k += 32) sum += s_product[k];
            sum = sum_of_warp(sum);
            if (lane == 0) finish(first + from, sum);
        }
    }
}

// Launch: a warp for each tile. The last tile with a carry of some row adds all carries of this row to y.
__global__ void __launch_bounds__(kThreads)
    add_carries(Csr a, const float* d_carries, const int* d_carry_rows, int tiles, float* d_y) {
    int tile = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (tile >= tiles) return;
    int row = d_carry_rows[tile];
    if (row == a.rows || (tile + 1 < tiles && d_carry_rows[tile + 1] == row)) return;
    int first = (row + a.d_row_ptr[row]) / kTile;  // the tile in which the row begins
    float sum = 0;
    for (int k = first + lane; k <= tile; k += 32) sum += d_carries[k];
    sum = sum_of_warp(sum);
    if (lane == 0) d_y[row] += sum;
}

void merge_path(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    int tiles = ceil_div(a.rows + a.nonzeros, kTile);
    auto* d_carries = work.get<float>(tiles);
    auto* d_carry_rows = work.get<int>(tiles);
    sum_tiles<<<tiles, kThreads>>>(a, d_x, d_y, d_carries, d_carry_rows);
    CUDA_CHECK(cudaGetLastError());
    add_carries<<<ceil_div(tiles, kWarps), kThreads>>>(a, d_carries, d_carry_rows, tiles, d_y);
    CUDA_CHECK(cudaGetLastError());
}
