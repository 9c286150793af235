// Style: cooperative groups as a template parameter, a table of kernels indexed on the host, persistent warps; carries
// of rows that go over a boundary, added in a last pass by one thread for each tile.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "spmv.h"

namespace cg = cooperative_groups;

template <int kLanes>
__global__ void rows_by_groups(Csr a, const float* x, float* y) {
    auto group = cg::tiled_partition<kLanes>(cg::this_thread_block());
    int groups = gridDim.x * group.meta_group_size();
    for (int row = blockIdx.x * group.meta_group_size() + group.meta_group_rank(); row < a.rows; row += groups) {
        float sum = 0;
        for (int k = a.d_row_ptr[row] + group.thread_rank(); k < a.d_row_ptr[row + 1]; k += kLanes)
            sum += a.d_values[k] * x[a.d_cols[k]];
        sum = cg::reduce(group, sum, cg::plus<float>());
        if (group.thread_rank() == 0) y[row] = sum;
    }
}

using Kernel = void (*)(Csr, const float*, float*);
static const Kernel kernels[] = {rows_by_groups<4>, rows_by_groups<8>, rows_by_groups<16>, rows_by_groups<32>};

void warp_per_row(Csr a, const float* d_x, float* d_y, Workspace&) {
    if (a.rows == 0) return;
    int lanes = 4, which = 0;
    while (which < 3 && lanes < a.nonzeros / a.rows) lanes *= 2, ++which;
    int blocks = ceil_div(a.rows, 256 / lanes);
    blocks = min(blocks, 4096);
    kernels[which]<<<blocks, 256>>>(a, d_x, d_y);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Equal shares of nonzeros: a tile's rows are found by search, its products lie in shared memory ----

constexpr int kThreads = 128, kTile = 8 * kThreads;

__device__ int row_of(const int* row_ptr, int rows, int k) {
    int low = 0, high = rows;  // row_ptr[low] <= k < row_ptr[high]
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        (row_ptr[middle] <= k ? low : high) = middle;
    }
    return low;
}

// Each row's part within the tile is added up by a warp; a part of a row that begins in an earlier tile is the carry.
__global__ void __launch_bounds__(kThreads) add_tiles(Csr a, const float* x, float* y, float* carries) {
    __shared__ float s_products[kTile];
    __shared__ int s_rows[2];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int begin = blockIdx.x * kTile, end = min(begin + kTile, a.nonzeros);
    if (threadIdx.x < 2) s_rows[threadIdx.x] = row_of(a.d_row_ptr, a.rows, threadIdx.x == 0 ? begin : end - 1);
    for (int k = begin + threadIdx.x; k < end; k += kThreads) s_products[k - begin] = a.d_values[k] * x[a.d_cols[k]];
    __syncthreads();
    if (threadIdx.x == 0 && a.d_row_ptr[s_rows[0]] == begin) carries[blockIdx.x] = 0;
    for (int row = s_rows[0] + warp.meta_group_rank(); row <= s_rows[1]; row += warp.meta_group_size()) {
        int from = max(a.d_row_ptr[row], begin) - begin, to = min(a.d_row_ptr[row + 1], end) - begin;
        float sum = 0;
        for (int k = from + warp.thread_rank(); k < to; k += 32) sum += s_products[k];
        sum = cg::reduce(warp, sum, cg::plus<float>());
        if (warp.thread_rank() != 0) continue;
        if (a.d_row_ptr[row] < begin)
            carries[blockIdx.x] = sum;
        else
            y[row] = sum;
    }
}

// The thread of the first tile that begins inside a row adds all carries of that row, in order.
__global__ void add_carries(Csr a, const float* carries, int tiles, float* y) {
    int tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile >= tiles || tile == 0) return;
    int row = row_of(a.d_row_ptr, a.rows, tile * kTile), first = a.d_row_ptr[row];
    // The row begins in the tile before this one, not earlier and not here.
    if (first == tile * kTile || first < (tile - 1) * kTile) return;
    // Pairwise in eight sums: a row may go over thousands of tiles.
    float sums[8] = {};
    int last = (a.d_row_ptr[row + 1] - 1) / kTile;
    for (int t = tile; t <= last; ++t) sums[(t - tile) % 8] += carries[t];
    for (int step = 4; step > 0; step /= 2) {
        for (int k = 0; k < step; ++k) sums[k] += sums[k + step];
    }
    y[row] += sums[0];
}

void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    CUDA_CHECK(cudaMemsetAsync(d_y, 0, a.rows * sizeof(float)));
    if (a.nonzeros == 0) return;
    int tiles = ceil_div(a.nonzeros, kTile);
    float* d_carries = work.get<float>(tiles);
    add_tiles<<<tiles, kThreads>>>(a, d_x, d_y, d_carries);
    CUDA_CHECK(cudaGetLastError());
    add_carries<<<ceil_div(tiles, 64), 64>>>(a, d_carries, tiles, d_y);
    CUDA_CHECK(cudaGetLastError());
}
