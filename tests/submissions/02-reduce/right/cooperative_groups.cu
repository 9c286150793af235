// Style: cooperative groups: grid.sync() in a cooperative launch, cg::reduce, tiles of 32 and of 8, coalesced groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "reduce.h"

namespace cg = cooperative_groups;

template <class Op, class T, class R>
__global__ void reduce_grid(const T* in, R* partial, R* out, int n) {
    __shared__ R s[8];
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto reduce_block = [&](R value) {
        value = cg::reduce(warp, value, Op());
        if (warp.thread_rank() == 0) s[warp.meta_group_rank()] = value;
        block.sync();
        if (warp.meta_group_rank() == 0)
            value = cg::reduce(warp, warp.thread_rank() < 8 ? s[warp.thread_rank()] : Op::identity(), Op());
        block.sync();
        return value;
    };
    R value = Op::identity();
    for (auto i = grid.thread_rank(); i < n; i += grid.num_threads()) value = Op()(value, in[i]);
    value = reduce_block(value);
    if (block.thread_rank() == 0) partial[blockIdx.x] = value;
    grid.sync();
    if (blockIdx.x > 0) return;
    value = Op::identity();
    for (unsigned i = block.thread_rank(); i < gridDim.x; i += block.size()) value = Op()(value, partial[i]);
    value = reduce_block(value);
    if (block.thread_rank() == 0) *out = value;
}

template <class Op, class T, class R>
void grid_stride(const T* d_in, R* d_result, int n, Workspace& work) {
    int per_sm = 0, sms = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, reduce_grid<Op, T, R>, 256, 0));
    R* d_partial = work.get<R>(per_sm * sms);
    void* arguments[] = {&d_in, &d_partial, &d_result, &n};
    CUDA_CHECK(cudaLaunchCooperativeKernel(reduce_grid<Op, T, R>, per_sm * sms, 256, arguments));
}

// Tiles of 8 lanes, then the tiles of a warp, by shuffles of the groups.
template <class Op, class T, class R>
__global__ void reduce_tiles(const T* in, R* to, int n) {
    __shared__ R s[32];
    auto block = cg::this_thread_block();
    auto eight = cg::tiled_partition<8>(block);
    R value = Op::identity();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) value = Op()(value, in[i]);
    for (unsigned d = eight.size() / 2; d > 0; d /= 2) value = Op()(value, eight.shfl_down(value, d));
    if (eight.thread_rank() == 0) s[eight.meta_group_rank()] = value;
    block.sync();
    if (threadIdx.x >= 32) return;
    auto active = cg::coalesced_threads();
    value = s[active.thread_rank()];
    for (unsigned d = active.size() / 2; d > 0; d /= 2) value = Op()(value, active.shfl_down(value, d));
    if (active.thread_rank() == 0) to[blockIdx.x] = value;
}

template <class Op, class T, class R>
void warp_shuffle(const T* d_in, R* d_result, int n, Workspace& work) {
    R* d_partial = work.get<R>(128);
    reduce_tiles<Op><<<128, 256>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    reduce_tiles<Op><<<1, 256>>>(d_partial, d_result, 128);
    CUDA_CHECK(cudaGetLastError());
}

#define GRADED(OP, T, R)                                          \
    template void grid_stride<OP>(const T*, R*, int, Workspace&); \
    template void warp_shuffle<OP>(const T*, R*, int, Workspace&);
GRADED(Sum<long long>, int, long long)
GRADED(Max<int>, int, int)
GRADED(Min<int>, int, int)
GRADED(Sum<float>, float, float)
GRADED(Max<float>, float, float)
GRADED(Min<float>, float, float)
