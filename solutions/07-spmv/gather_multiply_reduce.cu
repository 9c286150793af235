// Task 1, gather_multiply_reduce: three steps, a kernel for each. All intermediate results go through global memory.
// Work O(rows + nonzeros). A nonzero moves 28 bytes where 12 would do, and the longest row decides how long the third
// kernel takes.
#include "spmv.h"

constexpr int kBlock = 256;

// Launch: a thread for each nonzero.
__global__ void gather(const int* d_cols, const float* d_x, float* d_gathered, int nonzeros) {
    int k = blockIdx.x * kBlock + threadIdx.x;
    if (k < nonzeros) d_gathered[k] = d_x[d_cols[k]];
}

// Launch: a thread for each nonzero.
__global__ void multiply(const float* d_values, const float* d_gathered, float* d_products, int nonzeros) {
    int k = blockIdx.x * kBlock + threadIdx.x;
    if (k < nonzeros) d_products[k] = d_values[k] * d_gathered[k];
}

// Launch: a thread for each row. An empty row begins where it ends, so its sum is 0.
__global__ void reduce_rows(const int* d_row_ptr, const float* d_products, float* d_y, int rows) {
    int row = blockIdx.x * kBlock + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = d_row_ptr[row]; k < d_row_ptr[row + 1]; ++k) sum += d_products[k];
    d_y[row] = sum;
}

void gather_multiply_reduce(Csr a, const float* d_x, float* d_y, Workspace& work) {
    auto* d_gathered = work.get<float>(a.nonzeros);
    auto* d_products = work.get<float>(a.nonzeros);
    if (a.nonzeros > 0) {
        int blocks = ceil_div(a.nonzeros, kBlock);
        gather<<<blocks, kBlock>>>(a.d_cols, d_x, d_gathered, a.nonzeros);
        CUDA_CHECK(cudaGetLastError());
        multiply<<<blocks, kBlock>>>(a.d_values, d_gathered, d_products, a.nonzeros);
        CUDA_CHECK(cudaGetLastError());
    }
    if (a.rows == 0) return;
    reduce_rows<<<ceil_div(a.rows, kBlock), kBlock>>>(a.d_row_ptr, d_products, d_y, a.rows);
    CUDA_CHECK(cudaGetLastError());
}
