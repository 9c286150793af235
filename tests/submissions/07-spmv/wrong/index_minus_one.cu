// A forward scan in global memory, as in many course notes. A row's total is read at the place of its last nonzero,
// which is index -1 if the first rows are empty.
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

// Launch: a thread for each row.
__global__ void read_totals(Csr a, const float* d_sums, float* d_y) {
    int row = blockIdx.x * kBlock + threadIdx.x;
    if (row < a.rows) d_y[row] = d_sums[a.d_row_ptr[row + 1] - 1];
}

void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    CUDA_CHECK(cudaMemset(d_y, 0, a.rows * sizeof(float)));
    if (a.nonzeros == 0) return;
    int blocks = ceil_div(a.rows, kBlock);
    auto *d_products = work.get<float>(a.nonzeros), *d_sums = work.get<float>(a.nonzeros);
    auto* d_heads = work.get<int>(a.nonzeros);
    multiply_and_mark<<<blocks, kBlock>>>(a, d_x, d_products, d_heads);
    CUDA_CHECK(cudaGetLastError());
    primitives::segmented_inclusive_sum(d_products, d_heads, d_sums, a.nonzeros, work);
    read_totals<<<blocks, kBlock>>>(a, d_sums, d_y);
    CUDA_CHECK(cudaGetLastError());
}
