// Style: all steps in one cooperative launch with grid.sync(); sums in double in a static device array.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "spmv.h"

namespace cg = cooperative_groups;

__device__ double partial_sums[2048];

__global__ void __launch_bounds__(256) all_steps(Csr links, int steps, float* rank, float* other) {
    __shared__ double s_warps[8];
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int n = links.rows, warps = grid.size() / 32, number = grid.thread_rank() / 32;
    float* from = steps % 2 == 0 ? rank : other;
    float* to = steps % 2 == 0 ? other : rank;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) from[i] = 1.0f / n;
    for (int step = 0; step < steps; ++step) {
        grid.sync();
        double own = 0;
        for (int row = number; row < n; row += warps) {
            float y = 0;
            for (int k = links.d_row_ptr[row] + warp.thread_rank(); k < links.d_row_ptr[row + 1]; k += 32)
                y += links.d_values[k] * from[links.d_cols[k]];
            y = cg::reduce(warp, y, cg::plus<float>());
            if (warp.thread_rank() == 0) {
                to[row] = y;
                own += y;
            }
        }
        if (warp.thread_rank() == 0) s_warps[warp.meta_group_rank()] = own;
        block.sync();
        if (block.thread_rank() == 0) {
            for (int w = 1; w < 8; ++w) own += s_warps[w];
            partial_sums[blockIdx.x] = own;
        }
        grid.sync();
        double sum = 0;
        for (int b = 0; b < gridDim.x; ++b) sum += partial_sums[b];
        float rest = static_cast<float>((1 - static_cast<double>(kDamping) * sum) / n);
        for (int i = grid.thread_rank(); i < n; i += grid.size()) to[i] = kDamping * to[i] + rest;
        float* swap = from;
        from = to;
        to = swap;
    }
}

void pagerank(Csr links, int steps, float* d_rank, Workspace& work) {
    if (links.rows == 0) return;
    int sms = 0, each = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, all_steps, 256, 0));
    float* d_other = work.get<float>(links.rows);
    void* arguments[] = {&links, &steps, &d_rank, &d_other};
    CUDA_CHECK(cudaLaunchCooperativeKernel(all_steps, min(each * sms, 2048), 256, arguments));
}
