// Task 4, segmented_scan: as 3, but every thread gets kItems nonzeros, whatever rows they are in. Three ideas:
//   heads     The first nonzero of a row is a head. A backward segmented scan gives each nonzero the sum of itself and
//             of all that follow it in its row, so the head ends up with the row's total.
//   carries   A thread's share may end within a row. What it has of that row is scanned over the threads (carries.cuh).
//   delivery  A tile may end within a row, too. Another launch adds that part to y: no two blocks write the same y.
// Work O(rows + nonzeros), however long the rows are. But one tile may have very many empty rows to write.
#include "carries.cuh"

// The first row that begins at nonzero k or later; `rows` if there is none.
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

// Launch: a block of kBlock for each tile of kTile nonzeros; one block if there are no nonzeros.
// Shared memory: the tile's products, which the scan replaces by sums; the heads; the tile's first row, and the next
// tile's.
__global__ void __launch_bounds__(kBlock) scan_tiles(Csr a, const float* d_x, float* d_y, TileCarries out) {
    __shared__ float s_sum[kTile];
    __shared__ int s_is_head[kTile];
    __shared__ int s_rows[2];
    int t = threadIdx.x, tile = blockIdx.x, first = tile * kTile;
    bool is_last = tile == static_cast<int>(gridDim.x) - 1;
    // The last tile takes all rows that are left: empty rows at the end begin after its last nonzero.
    if (t < 2) s_rows[t] = t == 1 && is_last ? a.rows : first_row_from(a.d_row_ptr, a.rows, first + t * kTile);
    for (int k = t; k < kTile; k += kBlock) {
        int nonzero = first + k;
        s_sum[k] = nonzero < a.nonzeros ? a.d_values[nonzero] * d_x[a.d_cols[nonzero]] : 0;
        s_is_head[k] = 0;
    }
    __syncthreads();
    // An empty row has no head, and must not mark the next row's.
    for (int row = s_rows[0] + t; row < s_rows[1]; row += kBlock) {
        int begin = a.d_row_ptr[row];
        if (begin < a.d_row_ptr[row + 1]) s_is_head[begin - first] = 1;
    }
    __syncthreads();

    // Backwards: thread 0 has the tile's last items, so a carry goes from thread to thread and from right to left.
    int end = (kBlock - t) * kItems;
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

    for (int row = s_rows[0] + t; row < s_rows[1]; row += kBlock) {
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
    scan_tiles<<<tiles, kBlock>>>(a, d_x, d_y, carries);
    CUDA_CHECK(cudaGetLastError());
    deliver(carries, tiles, d_y, work);
}
