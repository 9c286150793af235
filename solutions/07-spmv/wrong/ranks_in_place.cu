// verdict: CHECK or WA task=pagerank max_n=5000
// because: race in global memory
// The product is written over the ranks that other warps still read.
#include "spmv.h"

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

// Launch: a warp for each row, kWarps in a block.
__global__ void multiply_row_of_warp(Csr a, const float* d_x, float* d_y) {
    int row = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= a.rows) return;  // the whole warp leaves
    int end = a.d_row_ptr[row + 1];
    float sum = 0;
    for (int k = a.d_row_ptr[row] + lane; k < end; k += 32) sum += a.d_values[k] * d_x[a.d_cols[k]];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(kAllLanes, sum, distance);
    if (lane == 0) d_y[row] = sum;
}

static void multiply(Csr a, const float* d_x, float* d_y, Workspace&) {
    if (a.rows == 0) return;
    multiply_row_of_warp<<<ceil_div(a.rows, kWarps), kBlock>>>(a, d_x, d_y);
    CUDA_CHECK(cudaGetLastError());
}

// Launch: a thread for each page.
__global__ void share_evenly(float* d_rank, int pages) {
    int page = blockIdx.x * kBlock + threadIdx.x;
    if (page < pages) d_rank[page] = 1.0f / static_cast<float>(pages);
}

// Launch: a thread for each page.
__global__ void follow_or_jump(const float* d_y, const float* d_sum, float* d_rank, int pages) {
    int page = blockIdx.x * kBlock + threadIdx.x;
    if (page < pages) d_rank[page] = kDamping * d_y[page] + (1 - kDamping * *d_sum) / static_cast<float>(pages);
}

void pagerank(Csr links, int steps, float* d_rank, Workspace& work) {
    int pages = links.rows;
    if (pages == 0) return;
    int blocks = ceil_div(pages, kBlock);
    auto* d_sum = work.get<float>(1);
    share_evenly<<<blocks, kBlock>>>(d_rank, pages);
    CUDA_CHECK(cudaGetLastError());
    for (int step = 0; step < steps; ++step) {
        multiply(links, d_rank, d_rank, work);
        primitives::sum(d_rank, d_sum, pages, work);
        follow_or_jump<<<blocks, kBlock>>>(d_rank, d_sum, d_rank, pages);
        CUDA_CHECK(cudaGetLastError());
    }
}
