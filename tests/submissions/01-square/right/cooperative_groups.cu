// Style: cooperative groups for the indices, a cooperative launch, cudaLaunchKernelEx with a configuration.
#include <cooperative_groups.h>

#include "square.h"

namespace cg = cooperative_groups;

__global__ void square(const float* in, float* out, int n) {
    auto grid = cg::this_grid();
    for (auto i = grid.thread_rank(); i < static_cast<unsigned long long>(n); i += grid.size()) out[i] = in[i] * in[i];
}

void grid_stride(const float* d_in, float* d_out, int n) {
    int blocks = 0, sms = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, square, 256, 0));
    void* arguments[] = {&d_in, &d_out, &n};
    CUDA_CHECK(cudaLaunchCooperativeKernel(square, dim3(sms * blocks), dim3(256), arguments));
}

__global__ void square_tiles(const float* in, float* out, int n) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int first = blockIdx.x * blockDim.x + warp.meta_group_rank() * warp.num_threads();
    int i = first + warp.thread_rank();
    if (i < n) out[i] = in[i] * in[i];
}

void grid(const float* d_in, float* d_out, int n) {
    if (n == 0) return;
    cudaLaunchConfig_t config{};
    config.gridDim = ceil_div(n, 256);
    config.blockDim = 256;
    CUDA_CHECK(cudaLaunchKernelEx(&config, square_tiles, d_in, d_out, n));
}
