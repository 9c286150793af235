// A forward scan in global memory, as in many course notes. The k-th segment's total is written to y[k]. An empty row
// has no segment, so the totals of all later rows are written a row too early.
#include "spmv.h"

constexpr int kBlock = 256;

// Launch: a thread for each row.
__global__ void multiply_and_mark(Csr a, const float* d_x, float* d_products, int* d_heads) {
    int row = blockIdx.x * kBlock + threadIdx.x;
    if (row >= a.rows) return;
    for (int k = a.d_row_ptr[row]; k < a.d_row_ptr[row + 1]; ++k) {
        d_products[k] = a.d_values[k] * d_x[a.d_cols[k]];
        d_heads[k] = k == a.d_row_ptr[row];
    }
}

// Launch: a thread for each nonzero. The last one of a segment writes its total.
__global__ void write_totals(const float* d_sums, const int* d_heads, const int* d_segments, int nonzeros, float* d_y) {
    int k = blockIdx.x * kBlock + threadIdx.x;
    if (k < nonzeros && (k + 1 == nonzeros || d_heads[k + 1])) d_y[d_segments[k] - 1] = d_sums[k];
}

void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    CUDA_CHECK(cudaMemset(d_y, 0, a.rows * sizeof(float)));
    if (a.nonzeros == 0) return;
    auto *d_products = work.get<float>(a.nonzeros), *d_sums = work.get<float>(a.nonzeros);
    auto *d_heads = work.get<int>(a.nonzeros), *d_segments = work.get<int>(a.nonzeros);
    multiply_and_mark<<<ceil_div(a.rows, kBlock), kBlock>>>(a, d_x, d_products, d_heads);
    CUDA_CHECK(cudaGetLastError());
    primitives::segmented_inclusive_sum(d_products, d_heads, d_sums, a.nonzeros, work);
    primitives::inclusive_sum(d_heads, d_segments, a.nonzeros, work);
    write_totals<<<ceil_div(a.nonzeros, kBlock), kBlock>>>(d_sums, d_heads, d_segments, a.nonzeros, d_y);
    CUDA_CHECK(cudaGetLastError());
}
