// Style: cooperative groups: all steps in one persistent launch with grid.sync(); cg::inclusive_scan of a warp.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include "scan.h"

namespace cg = cooperative_groups;

__global__ void all_steps(const int* in, int* out, int* other, int n) {
    auto grid = cg::this_grid();
    int rank = grid.thread_rank(), all = grid.size();
    int steps = 0;
    for (int distance = 1; distance < n; distance *= 2) ++steps;
    int* to = steps % 2 == 0 ? out : other;
    int* from = steps % 2 == 0 ? other : out;
    for (int i = rank; i < n; i += all) to[i] = in[i];
    for (int distance = 1; distance < n; distance *= 2) {
        grid.sync();
        int* swap = from;
        from = to, to = swap;
        for (int i = rank; i < n; i += all) to[i] = i < distance ? from[i] : from[i - distance] + from[i];
    }
}

void naive(const int* d_in, int* d_out, int n, Workspace& work) {
    int* d_other = work.get<int>(n);
    int sms = 0, each = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, all_steps, 256, 0));
    void* arguments[] = {&d_in, &d_out, &d_other, &n};
    CUDA_CHECK(cudaLaunchCooperativeKernel(all_steps, sms * each, 256, arguments));
}

__global__ void tiles(const int* in, int* out, int n, bool exclusive) {
    __shared__ int sums[32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int i = block.group_index().x * kTile + block.thread_rank();
    int x = i < n ? in[i] : 0;
    int sum = exclusive ? cg::exclusive_scan(warp, x) : cg::inclusive_scan(warp, x, cg::plus<int>());
    if (warp.thread_rank() == warp.size() - 1) sums[warp.meta_group_rank()] = exclusive ? sum + x : sum;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        int of_warp = sums[warp.thread_rank()];
        warp.sync();
        sums[warp.thread_rank()] = cg::exclusive_scan(warp, of_warp, cg::plus<int>());
    }
    block.sync();
    if (i < n) out[i] = sums[warp.meta_group_rank()] + sum;
}

void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    if (n > 0) tiles<<<ceil_div(n, kTile), kTile>>>(d_in, d_out, n, false);
    CUDA_CHECK(cudaGetLastError());
}

void blelloch(const int* d_in, int* d_out, int n, Workspace&) {
    if (n > 0) tiles<<<ceil_div(n, kTile), kTile>>>(d_in, d_out, n, true);
    CUDA_CHECK(cudaGetLastError());
}
