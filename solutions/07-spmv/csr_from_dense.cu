// Task 5, csr_from_dense: count, scan, fill. A warp counts its row's nonzeros by votes. The scan of the counts gives
// the row pointers. Then the warp reads its row again, and the same vote tells each lane how many nonzeros come before
// its own. Reads the matrix twice and writes only the nonzeros.
#include "spmv.h"

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

// Calls body(column, value, vote) for each element of the row, 32 at a time. Bit i of `vote`: the value of lane i is
// not 0. All lanes of the warp call this; a lane past the row's end gets the value 0.
template <class Body>
__device__ void for_each_of_row(const float* d_row, int cols, Body body) {
    for (int first = 0; first < cols; first += 32) {
        int col = first + threadIdx.x % 32;
        float value = col < cols ? d_row[col] : 0;
        body(col, value, __ballot_sync(kAllLanes, value != 0));
    }
}

// Launch: a warp for each row, kWarps in a block.
__global__ void count_nonzeros(const float* d_dense, int rows, int cols, int* d_counts) {
    int row = blockIdx.x * kWarps + threadIdx.x / 32;
    if (row >= rows) return;
    int count = 0;
    for_each_of_row(d_dense + row * cols, cols, [&](int, float, unsigned vote) { count += __popc(vote); });
    if (threadIdx.x % 32 == 0) d_counts[row] = count;
}

// Launch: as above.
__global__ void fill_rows(const float* d_dense, int rows, int cols, const int* d_row_ptr, int* d_cols,
                          float* d_values) {
    int row = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    int next = d_row_ptr[row];
    for_each_of_row(d_dense + row * cols, cols, [&](int col, float value, unsigned vote) {
        if (value != 0) {
            int place = next + __popc(vote & ((1u << lane) - 1));
            d_cols[place] = col;
            d_values[place] = value;
        }
        next += __popc(vote);
    });
}

void csr_from_dense(const float* d_dense, int rows, int cols, int* d_row_ptr, int* d_cols, float* d_values,
                    Workspace& work) {
    int blocks = ceil_div(rows, kWarps);
    auto* d_counts = work.get<int>(rows);
    if (rows > 0) {
        count_nonzeros<<<blocks, kBlock>>>(d_dense, rows, cols, d_counts);
        CUDA_CHECK(cudaGetLastError());
    }
    primitives::exclusive_sum(d_counts, d_row_ptr, rows, work);
    if (rows == 0) return;
    fill_rows<<<blocks, kBlock>>>(d_dense, rows, cols, d_row_ptr, d_cols, d_values);
    CUDA_CHECK(cudaGetLastError());
}
