// Style: asynchronous copies into shared memory: cuda::pipeline, __pipeline_memcpy_async, cg::memcpy_async.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/pipeline>

#include "reduce.h"

constexpr int kThreads = 256, kStages = 2;

template <class Op, class R>
__device__ R of_block(R value) {
    __shared__ R s[kThreads / 32];
    for (int d = 16; d > 0; d >>= 1) value = Op()(value, __shfl_down_sync(~0u, value, d));
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < kThreads / 32; ++w) value = Op()(value, s[w]);
    }
    return value;
}

// Each thread copies its own elements two steps ahead: nothing but its own pipeline has to be waited for.
template <class Op, class T, class R>
__global__ void piped(const T* in, R* to, int n) {
    __shared__ T s[kStages][kThreads];
    auto pipe = cuda::make_pipeline();
    R value = Op::identity();
    int step = gridDim.x * kThreads, first = blockIdx.x * kThreads + threadIdx.x;
    auto fetch = [&](int i, int stage) {
        pipe.producer_acquire();
        if (i < n) cuda::memcpy_async(&s[stage][threadIdx.x], in + i, sizeof(T), pipe);
        pipe.producer_commit();
    };
    fetch(first, 0);
    for (int i = first, stage = 0; i < n; i += step, stage = 1 - stage) {
        fetch(i + step < n ? i + step : n, 1 - stage);
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        value = Op()(value, s[stage][threadIdx.x]);
        pipe.consumer_release();
    }
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    value = of_block<Op>(value);
    if (threadIdx.x == 0) to[blockIdx.x] = value;
}

template <class Op, class T, class R>
void warp_shuffle(const T* d_in, R* d_result, int n, Workspace& work) {
    R* d_partial = work.get<R>(64);
    piped<Op><<<64, kThreads>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    piped<Op><<<1, kThreads>>>(d_partial, d_result, 64);
    CUDA_CHECK(cudaGetLastError());
}

// The C interface of the same copies, then a whole block's tile by cg::memcpy_async.
template <class Op, class T, class R>
__global__ void tiled(const T* in, R* to, int n) {
    __shared__ T s_tile[4 * kThreads];
    auto block = cooperative_groups::this_thread_block();
    R value = Op::identity();
    for (int first = blockIdx.x * 4 * kThreads; first < n; first += gridDim.x * 4 * kThreads) {
        int count = min(4 * kThreads, n - first);
        cooperative_groups::memcpy_async(block, s_tile, in + first, count * sizeof(T));
        cooperative_groups::wait(block);
        for (int k = threadIdx.x; k < count; k += kThreads) value = Op()(value, s_tile[k]);
        block.sync();
    }
    value = of_block<Op>(value);
    if (threadIdx.x == 0) to[blockIdx.x] = value;
}

template <class Op, class R>
__global__ void finish(const R* from, R* to, int n) {
    __shared__ alignas(16) R s[64];
    if (threadIdx.x < n) __pipeline_memcpy_async(&s[threadIdx.x], from + threadIdx.x, sizeof(R));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    R value = of_block<Op>(threadIdx.x < n ? s[threadIdx.x] : Op::identity());
    if (threadIdx.x == 0) *to = value;
}

template <class Op, class T, class R>
void grid_stride(const T* d_in, R* d_result, int n, Workspace& work) {
    R* d_partial = work.get<R>(64);
    tiled<Op><<<64, kThreads>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    finish<Op><<<1, kThreads>>>(d_partial, d_result, 64);
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
