// Sparse matrices for spmv.cu, made on the device: a grid's, one with random columns, and one by a power law.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "peers.h"
#include "spmv.h"

namespace peers {

__host__ __device__ inline unsigned mix(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// Multiples of 2^-23 from -1 up to 1.
static __global__ void fill_values(float* d_out, std::size_t n) {
    std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride)
        d_out[i] = static_cast<float>(mix(static_cast<unsigned>(i) * 2654435761u) >> 8) * 0x1p-23f - 1;
}

// As many columns as rows. The columns are yet to be filled in.
struct Matrix {
    explicit Matrix(const std::vector<int>& row_ptr)
        : rows(static_cast<int>(row_ptr.size()) - 1),
          row_ptr(row_ptr.size()),
          cols(row_ptr.back()),
          values(row_ptr.back()) {
        std::size_t bytes = row_ptr.size() * sizeof(int);
        CUDA_CHECK(cudaMemcpy(this->row_ptr.data, row_ptr.data(), bytes, cudaMemcpyHostToDevice));
        fill_values<<<1024, 256>>>(values.data, values.count);
        CUDA_CHECK(cudaGetLastError());
    }
    Csr csr() const { return {rows, rows, static_cast<int>(values.count), row_ptr.data, cols.data, values.data}; }
    int rows;
    Array<int> row_ptr, cols;
    Array<float> values;
};

// Each point of a grid of n * n * n points, and its neighbours: at most 7 nonzeros in a row.
static __global__ void fill_stencil(Csr a, int n, int* d_cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= a.rows) return;
    int x = r % n, y = r / n % n, z = r / n / n, k = a.d_row_ptr[r];
    if (z > 0) d_cols[k++] = r - n * n;
    if (y > 0) d_cols[k++] = r - n;
    if (x > 0) d_cols[k++] = r - 1;
    d_cols[k++] = r;
    if (x < n - 1) d_cols[k++] = r + 1;
    if (y < n - 1) d_cols[k++] = r + n;
    if (z < n - 1) d_cols[k++] = r + n * n;
}

inline std::unique_ptr<Matrix> stencil(int n) {
    std::vector<int> row_ptr = {0};
    auto at_border = [n](int i) { return (i == 0) + (i == n - 1); };
    for (int r = 0; r < n * n * n; ++r)
        row_ptr.push_back(row_ptr.back() + 7 - at_border(r % n) - at_border(r / n % n) - at_border(r / n / n));
    auto matrix = std::make_unique<Matrix>(row_ptr);
    fill_stencil<<<ceil_div(matrix->rows, 256), 256>>>(matrix->csr(), n, matrix->cols.data);
    CUDA_CHECK(cudaGetLastError());
    return matrix;
}

constexpr int kPerRow = 16;

static __global__ void fill_random(Csr a, int* d_cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= a.rows) return;
    int sorted[kPerRow];
    for (int j = 0; j < kPerRow; ++j) {
        unsigned long long random = mix(mix(r) + j * 0x9e3779b9u);
        int col = static_cast<int>(random * (a.cols - kPerRow + 1) >> 32), i = j;
        for (; i > 0 && sorted[i - 1] > col; --i) sorted[i] = sorted[i - 1];
        sorted[i] = col;
    }
    for (int j = 0; j < kPerRow; ++j) d_cols[r * kPerRow + j] = sorted[j] + j;  // + j: none occurs twice
}

// 16 nonzeros in each row, in columns at random.
inline std::unique_ptr<Matrix> random_columns(int nonzeros) {
    std::vector<int> row_ptr;
    for (int k = 0; k <= nonzeros; k += kPerRow) row_ptr.push_back(k);
    auto matrix = std::make_unique<Matrix>(row_ptr);
    fill_random<<<ceil_div(matrix->rows, 256), 256>>>(matrix->csr(), matrix->cols.data);
    CUDA_CHECK(cudaGetLastError());
    return matrix;
}

// Launch: a block for each row.
static __global__ void fill_skewed(Csr a, int* d_cols) {
    int begin = a.d_row_ptr[blockIdx.x], length = a.d_row_ptr[blockIdx.x + 1] - begin;
    for (int j = threadIdx.x; j < length; j += blockDim.x) {
        double random = (j + mix(begin + j + 77) * 0x1p-32) / length;
        d_cols[begin + j] = j + static_cast<int>((a.cols - length) * random * random * random);
    }
}

// The n-th longest row's length is proportional to n^-0.8, and low columns occur more often than high ones. About 16
// nonzeros in a row; a quarter of the rows is empty, and the longest has at most a 64th of all nonzeros.
inline std::unique_ptr<Matrix> power_law(int nonzeros) {
    std::vector<int> row_ptr = {0};
    while (row_ptr.back() < nonzeros) {
        double random = (mix(static_cast<unsigned>(row_ptr.size()) + 999) + 0.5) * 0x1p-32;
        int length = static_cast<int>(std::min(3.7 * (std::pow(random, -0.8) - 1), nonzeros / 64.0));
        row_ptr.push_back(std::min(nonzeros, row_ptr.back() + length));
    }
    auto matrix = std::make_unique<Matrix>(row_ptr);
    fill_skewed<<<matrix->rows, 64>>>(matrix->csr(), matrix->cols.data);
    CUDA_CHECK(cudaGetLastError());
    return matrix;
}

}  // namespace peers
