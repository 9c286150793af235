// Task 8, merge_path: as 4, but every thread gets equally many row ends and nonzeros together, so a million empty rows
// are as much work as a million nonzeros. Merge the row ends (d_row_ptr[1], ...) with the indices of the nonzeros
// (0, 1, ...): a step along the path either adds a product or finishes a row. The path is cut into equal pieces for
// blocks, and these into equal pieces for threads (lab 5's load_balanced). Thus carries run forwards, not backwards.
// Work O(rows + nonzeros), the same for every thread and any matrix. (Merrill and Garland, "Merge-based parallel sparse
// matrix-vector multiplication", 2016.)
#include "carries.cuh"

// Of the first `diagonal` steps of the path, how many finish a row? Row i ends before nonzero k if row_end[i] <= k.
__device__ int rows_ended(const int* row_end, int rows, int nonzeros, int diagonal) {
    int low = max(0, diagonal - nonzeros), high = min(diagonal, rows);
    while (low < high) {
        int i = low + (high - low) / 2;
        if (row_end[i] + i < diagonal)
            low = i + 1;
        else
            high = i;
    }
    return low;
}

// Launch: a block of kBlock for each tile of kTile steps.
// Shared memory: the tile's products, row ends and row sums; how many rows end before the tile, and before its end.
__global__ void __launch_bounds__(kBlock) walk_tiles(Csr a, const float* d_x, float* d_y, TileCarries out) {
    __shared__ float s_product[kTile], s_sum[kTile];
    __shared__ int s_end[kTile];
    __shared__ int s_rows[2];
    int t = threadIdx.x, tile = blockIdx.x;
    int first_step = tile * kTile, steps = min(kTile, a.rows + a.nonzeros - first_step);
    if (t < 2) s_rows[t] = rows_ended(a.d_row_ptr + 1, a.rows, a.nonzeros, first_step + t * steps);
    __syncthreads();
    int first_row = s_rows[0], rows = s_rows[1] - first_row;
    int first_nonzero = first_step - first_row, nonzeros = steps - rows;
    for (int i = t; i < rows; i += kBlock) s_end[i] = a.d_row_ptr[first_row + i + 1] - first_nonzero;
    for (int k = t; k < nonzeros; k += kBlock)
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

    for (int i = t; i < rows; i += kBlock) d_y[first_row + i] = s_sum[i];
    if (t != 0) return;
    out.d_sums[tile] = leaves_tile;  // part of the row that goes on behind the tile
    out.d_rows[tile] = s_rows[1] < a.rows ? s_rows[1] : -1;
    out.d_heads[tile] = tile == 0 || rows > 0;
}

void merge_path(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    int tiles = ceil_div(a.rows + a.nonzeros, kTile);
    TileCarries carries = new_carries(tiles, work);
    walk_tiles<<<tiles, kBlock>>>(a, d_x, d_y, carries);
    CUDA_CHECK(cudaGetLastError());
    deliver(carries, tiles, d_y, work);
}
