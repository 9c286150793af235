// Style: int4 and float4 loads by a traits class, memcpy between types, cuda::std::numeric_limits, if constexpr.
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>

#include "reduce.h"

template <class T>
struct Wide;
template <>
struct Wide<int> {
    using type = int4;
};
template <>
struct Wide<float> {
    using type = float4;
};

template <class Op, class R>
__device__ R neutral() {
    if constexpr (cuda::std::is_same_v<Op, Max<int>>)
        return cuda::std::numeric_limits<int>::min();
    else if constexpr (cuda::std::is_same_v<Op, Min<float>>)
        return cuda::std::numeric_limits<float>::infinity();
    else
        return Op::identity();
}

template <class Op, class T, class R>
__global__ void __launch_bounds__(256) reduce_wide(const T* in, R* to, int n) {
    using Four = typename Wide<T>::type;
    __shared__ R s_warps[8];
    Op op;
    R a = neutral<Op, R>(), b = a, c = a, d = a;
    int rank = blockIdx.x * 256 + threadIdx.x, all = gridDim.x * 256;
    int head = static_cast<int>(-(reinterpret_cast<cuda::std::uintptr_t>(in) >> 2) & 3);
    if (head > n) head = n;
    int fours = (n - head) / 4;
    const Four* wide = reinterpret_cast<const Four*>(in + head);
    for (int i = rank; i < fours; i += all) {
        Four v = __ldg(wide + i);
        a = op(a, v.x), b = op(b, v.y), c = op(c, v.z), d = op(d, v.w);
    }
    if (rank < head) a = op(a, in[rank]);
    if (int i = head + 4 * fours + rank; i < n) b = op(b, in[i]);
    a = op(op(a, b), op(c, d));
#pragma unroll
    for (int step = 16; step; step >>= 1) a = op(a, __shfl_down_sync(0xffffffffu, a, step));
    if ((threadIdx.x & 31) == 0) s_warps[threadIdx.x >> 5] = a;
    __syncthreads();
    if (threadIdx.x >= 8) return;
    a = s_warps[threadIdx.x];
    for (int step = 4; step; step >>= 1) a = op(a, __shfl_down_sync(0xffu, a, step, 8));
    if (threadIdx.x == 0) to[blockIdx.x] = a;
}

template <class Op, class R>
__global__ void finish(const R* from, R* to) {
    R a = Op()(from[threadIdx.x], from[threadIdx.x + 32]);
    for (int step = 16; step; step >>= 1) a = Op()(a, __shfl_xor_sync(__activemask(), a, step));
    if (threadIdx.x == 0) *to = a;
}

template <class Op, class T, class R>
void vectorized(const T* d_in, R* d_result, int n, Workspace& work) {
    R* d_partial = work.get<R>(64);
    reduce_wide<Op><<<64, 256>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    finish<Op><<<1, 32>>>(d_partial, d_result);
    CUDA_CHECK(cudaGetLastError());
}

#define GRADED(OP, T, R) template void vectorized<OP>(const T*, R*, int, Workspace&);
GRADED(Sum<long long>, int, long long)
GRADED(Max<int>, int, int)
GRADED(Min<int>, int, int)
GRADED(Sum<float>, float, float)
GRADED(Max<float>, float, float)
GRADED(Min<float>, float, float)
