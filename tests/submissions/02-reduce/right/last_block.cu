// Style: one launch; the last block adds up. A static counter with atomicInc and __threadfence, or cuda::atomic_ref.
#include <cuda/atomic>

#include "reduce.h"

static __device__ unsigned finished = 0;  // atomicInc lets it return to 0: no call has to clear it

template <class Op, class R, int kThreads>
__device__ R tree(R value, R (&s)[kThreads]) {
    __syncthreads();
    s[threadIdx.x] = value;
    for (int half = kThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) s[threadIdx.x] = Op()(s[threadIdx.x], s[threadIdx.x + half]);
    }
    __syncthreads();
    return s[0];
}

template <class Op, class T, class R>
__global__ void with_fence(const T* in, volatile R* partial, R* out, int n) {
    __shared__ R s[256];
    __shared__ bool is_last;
    R value = Op::identity();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) value = Op()(value, in[i]);
    value = tree<Op>(value, s);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = value;
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    value = Op::identity();
    for (int i = threadIdx.x; i < gridDim.x; i += 256) value = Op()(value, partial[i]);
    value = tree<Op>(value, s);
    if (threadIdx.x == 0) *out = value;
}

template <class Op, class T, class R>
void grid_stride(const T* d_in, R* d_result, int n, Workspace& work) {
    int blocks = n < 256 ? 1 : n / 256 < 64 ? n / 256 : 64;
    with_fence<Op><<<blocks, 256>>>(d_in, work.get<R>(blocks), d_result, n);
    CUDA_CHECK(cudaGetLastError());
}

template <class Op, class R>
__device__ R of_warp(R value) {
#pragma unroll
    for (int mask = 1; mask < 32; mask <<= 1) value = Op()(value, __shfl_xor_sync(~0u, value, mask));
    return value;
}

template <class Op, class T, class R>
__global__ void with_atomic_ref(const T* in, R* partial, unsigned* ticket, R* out, int n) {
    __shared__ R s[32];
    __shared__ unsigned s_rank;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    R value = Op::identity();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value = Op()(value, in[i]);
    value = of_warp<Op>(value);
    if (lane == 0) s[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = of_warp<Op>(lane < blockDim.x / 32 ? s[lane] : Op::identity());
        if (lane == 0) {
            partial[blockIdx.x] = value;
            cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter(*ticket);
            s_rank = counter.fetch_add(1, cuda::memory_order_acq_rel);
        }
    }
    __syncthreads();
    if (s_rank != gridDim.x - 1 || warp != 0) return;
    value = Op::identity();
    for (int i = lane; i < gridDim.x; i += 32) value = Op()(value, partial[i]);
    value = of_warp<Op>(value);
    if (lane == 0) *out = value;
}

template <class Op, class T, class R>
void warp_shuffle(const T* d_in, R* d_result, int n, Workspace& work) {
    int blocks = 32;
    auto* d_ticket = work.get<unsigned>(1);
    CUDA_CHECK(cudaMemsetAsync(d_ticket, 0, sizeof *d_ticket));
    with_atomic_ref<Op><<<blocks, 512>>>(d_in, work.get<R>(blocks), d_ticket, d_result, n);
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
