// The product is a kernel of its own here.
#include "spmv.h"
__global__ void start(float* rank, int pages) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pages) rank[p] = 1 / pages;
}
__global__ void step_kernel(Csr m, const float* rank, float* y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m.rows) return;
    float dot = 0;
    for (int j = m.d_row_ptr[r]; j < m.d_row_ptr[r + 1]; j++) dot += m.d_values[j] * rank[m.d_cols[j]];
    y[r] = dot;
}
__global__ void finish(const float* y, const float* sum, float* rank, int pages) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pages) rank[p] = kDamping * y[p] + (1 - kDamping * sum[0]) / pages;
}
void pagerank(Csr links, int steps, float* d_rank, Workspace& work) {
    if (links.rows == 0) return;
    int blocks = ceil_div(links.rows, 256);
    float* y = work.get<float>(links.rows);
    float* sum = work.get<float>(1);
    start<<<blocks, 256>>>(d_rank, links.rows);
    CUDA_CHECK(cudaGetLastError());
    for (int s = 0; s < steps; s++) {
        step_kernel<<<blocks, 256>>>(links, d_rank, y);
        CUDA_CHECK(cudaGetLastError());
        primitives::sum(y, sum, links.rows, work);
        finish<<<blocks, 256>>>(y, sum, d_rank, links.rows);
        CUDA_CHECK(cudaGetLastError());
    }
}
