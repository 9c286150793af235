// verdict: WA task=segmented_scan max_n=5000
// because: wrong
// As in many course notes: the k-th head is taken for row k. An empty row has no head, and all rows behind it move up.
#include "spmv.h"

constexpr int kBlock = 256;

// Launch: a thread for each nonzero.
__global__ void multiply_all(Csr a, const float* d_x, float* d_products, int* d_heads) {
    int k = blockIdx.x * kBlock + threadIdx.x;
    if (k >= a.nonzeros) return;
    d_products[k] = a.d_values[k] * d_x[a.d_cols[k]];
    d_heads[k] = 0;
}

// Launch: a thread for each row.
__global__ void mark_heads(Csr a, int* d_heads) {
    int row = blockIdx.x * kBlock + threadIdx.x;
    if (row < a.rows && a.d_row_ptr[row] < a.nonzeros) d_heads[a.d_row_ptr[row]] = 1;
}

// Launch: a thread for each nonzero. The last one of segment k writes y[k].
__global__ void write_totals(const float* d_sums, const int* d_heads, const int* d_segments, int nonzeros, float* d_y) {
    int k = blockIdx.x * kBlock + threadIdx.x;
    if (k < nonzeros && (k + 1 == nonzeros || d_heads[k + 1])) d_y[d_segments[k] - 1] = d_sums[k];
}

void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    CUDA_CHECK(cudaMemset(d_y, 0, a.rows * sizeof(float)));
    if (a.nonzeros == 0) return;
    int blocks = ceil_div(a.nonzeros, kBlock);
    auto *d_products = work.get<float>(a.nonzeros), *d_sums = work.get<float>(a.nonzeros);
    auto *d_heads = work.get<int>(a.nonzeros), *d_segments = work.get<int>(a.nonzeros);
    multiply_all<<<blocks, kBlock>>>(a, d_x, d_products, d_heads);
    CUDA_CHECK(cudaGetLastError());
    mark_heads<<<ceil_div(a.rows, kBlock), kBlock>>>(a, d_heads);
    CUDA_CHECK(cudaGetLastError());
    primitives::segmented_inclusive_sum(d_products, d_heads, d_sums, a.nonzeros, work);
    primitives::inclusive_sum(d_heads, d_segments, a.nonzeros, work);
    write_totals<<<blocks, kBlock>>>(d_sums, d_heads, d_segments, a.nonzeros, d_y);
    CUDA_CHECK(cudaGetLastError());
}
