// Right, but the scan passes over all nonzeros in global memory once for each distance 1, 2, 4, ...
#include <utility>

#include "spmv.h"

constexpr int kBlock = 256;

// Launch: a thread for each nonzero. d_is_cut: the sum reaches the end of its row.
__global__ void multiply_all(Csr a, const float* d_x, float* d_sums, int* d_is_cut) {
    int k = blockIdx.x * kBlock + threadIdx.x;
    if (k >= a.nonzeros) return;
    d_sums[k] = a.d_values[k] * d_x[a.d_cols[k]];
    d_is_cut[k] = k + 1 == a.nonzeros;
}

// Launch: a thread for each row.
__global__ void cut_before_heads(Csr a, int* d_is_cut) {
    int row = blockIdx.x * kBlock + threadIdx.x;
    if (row < a.rows && a.d_row_ptr[row] > 0) d_is_cut[a.d_row_ptr[row] - 1] = 1;
}

// Launch: a thread for each nonzero. Adds the sum `distance` after it, if that is in its row.
__global__ void step(const float* d_sums, const int* d_is_cut, float* d_new_sums, int* d_new_is_cut, int n,
                     int distance) {
    int k = blockIdx.x * kBlock + threadIdx.x;
    if (k >= n) return;
    bool adds = !d_is_cut[k] && k + distance < n;
    d_new_sums[k] = adds ? d_sums[k] + d_sums[k + distance] : d_sums[k];
    d_new_is_cut[k] = adds ? d_is_cut[k + distance] : d_is_cut[k];
}

// Launch: a thread for each row. Its head has the total.
__global__ void read_heads(Csr a, const float* d_sums, float* d_y) {
    int row = blockIdx.x * kBlock + threadIdx.x;
    if (row >= a.rows) return;
    int head = a.d_row_ptr[row];
    d_y[row] = head < a.d_row_ptr[row + 1] ? d_sums[head] : 0;
}

void segmented_scan(Csr a, const float* d_x, float* d_y, Workspace& work) {
    if (a.rows == 0) return;
    auto *d_sums = work.get<float>(a.nonzeros), *d_new_sums = work.get<float>(a.nonzeros);
    auto *d_is_cut = work.get<int>(a.nonzeros), *d_new_is_cut = work.get<int>(a.nonzeros);
    int blocks = ceil_div(a.nonzeros, kBlock), row_blocks = ceil_div(a.rows, kBlock);
    if (a.nonzeros > 0) {
        multiply_all<<<blocks, kBlock>>>(a, d_x, d_sums, d_is_cut);
        CUDA_CHECK(cudaGetLastError());
        cut_before_heads<<<row_blocks, kBlock>>>(a, d_is_cut);
        CUDA_CHECK(cudaGetLastError());
    }
    for (int distance = 1; distance < a.nonzeros; distance *= 2) {
        step<<<blocks, kBlock>>>(d_sums, d_is_cut, d_new_sums, d_new_is_cut, a.nonzeros, distance);
        CUDA_CHECK(cudaGetLastError());
        std::swap(d_sums, d_new_sums);
        std::swap(d_is_cut, d_new_is_cut);
    }
    read_heads<<<row_blocks, kBlock>>>(a, d_sums, d_y);
    CUDA_CHECK(cudaGetLastError());
}
