// Style: the C of a tutorial: steps in tiny kernels, static helpers, 2D launches, cudaMemcpyToSymbol of a struct.
#include "spmv.h"

static __constant__ Csr matrix;

static __global__ void gather_x(const float* x, float* gathered) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < matrix.nonzeros) gathered[k] = x[matrix.d_cols[k]];
}

static __global__ void multiply(float* products) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < matrix.nonzeros) products[k] *= matrix.d_values[k];
}

static __global__ void add_up(const float* products, float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= matrix.rows) return;
    float sum = 0.f;
    int k = matrix.d_row_ptr[row], end = matrix.d_row_ptr[row + 1];
    while (k < end) sum += products[k++];
    y[row] = sum;
}

void gather_multiply_reduce(Csr a, const float* d_x, float* d_y, Workspace& work) {
    float* d_products = work.get<float>(a.nonzeros);
    CUDA_CHECK(cudaMemcpyToSymbol(matrix, &a, sizeof a));
    if (a.nonzeros > 0) {
        gather_x<<<(a.nonzeros + 511) / 512, 512>>>(d_x, d_products);
        CUDA_CHECK(cudaGetLastError());
        multiply<<<(a.nonzeros + 511) / 512, 512>>>(d_products);
        CUDA_CHECK(cudaGetLastError());
    }
    if (a.rows > 0) add_up<<<(a.rows + 511) / 512, 512>>>(d_products, d_y);
    CUDA_CHECK(cudaGetLastError());
}

static __global__ void rows_of_block(const Csr* a, const float* __restrict__ x, float* __restrict__ y) {
    int row = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (row >= a->rows) return;
    float sum = 0;
    for (int k = __ldg(a->d_row_ptr + row); k < __ldg(a->d_row_ptr + row + 1); ++k)
        sum = __fmaf_rn(__ldg(a->d_values + k), __ldg(x + __ldg(a->d_cols + k)), sum);
    y[row] = sum;
}

// The matrix's description is copied to the device for each call.
void row_per_thread(Csr a, const float* d_x, float* d_y, Workspace&) {
    if (a.rows == 0) return;
    Csr* d_a;
    CUDA_CHECK(cudaMallocAsync(&d_a, sizeof a, cudaStreamLegacy));
    CUDA_CHECK(cudaMemcpyAsync(d_a, &a, sizeof a, cudaMemcpyHostToDevice, cudaStreamLegacy));
    rows_of_block<<<ceil_div(a.rows, 256), dim3(32, 8)>>>(d_a, d_x, d_y);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaFreeAsync(d_a, cudaStreamLegacy));
}
