// Task 7, pagerank: the power method. A step multiplies by the matrix of links, sums the result, and shares out evenly
// what was not followed. The sum stays on the device, so the host does not wait between steps.
// (Page, Brin, Motwani and Winograd, "The PageRank citation ranking", 1999.)
#include "spmv.h"

constexpr int kBlock = 256;

// Launch: a thread for each page.
__global__ void start_evenly(float* d_rank, int pages) {
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
    auto *d_y = work.get<float>(pages), *d_sum = work.get<float>(1);
    start_evenly<<<blocks, kBlock>>>(d_rank, pages);
    CUDA_CHECK(cudaGetLastError());
    for (int step = 0; step < steps; ++step) {
        // Any of the products would do. With a thread for each row, a page that very many link to would hold up the
        // others.
        warp_per_row(links, d_rank, d_y, work);
        primitives::sum(d_y, d_sum, pages, work);
        follow_or_jump<<<blocks, kBlock>>>(d_y, d_sum, d_rank, pages);
        CUDA_CHECK(cudaGetLastError());
    }
}
