// verdict: TLE task=warp_shuffle max_n=5000
// because: deadlock
// The shuffle names 32 lanes, and only some of them reach it.
#include <algorithm>

#include "reduce.h"

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kGrid = 1024;

// All 32 lanes take part; lane 0 gets the result, the others something else.
template <class Op>
__device__ typename Op::type reduce_warp(typename Op::type value) {
    for (int half = 16; half > 0; half /= 2) {
        if (threadIdx.x % 32 < half) value = Op()(value, __shfl_down_sync(kAllLanes, value, half));
    }
    return value;
}

// All kBlock threads take part; thread 0 gets the result, the others something else.
template <class Op>
__device__ typename Op::type reduce_block(typename Op::type value) {
    __shared__ typename Op::type s_of_warp[kWarps];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = reduce_warp<Op>(value);
    if (lane == 0) s_of_warp[warp] = value;
    __syncthreads();
    if (warp > 0) return value;
    return reduce_warp<Op>(lane < kWarps ? s_of_warp[lane] : Op::identity());
}

template <class Op, class T>
__global__ void warp_shuffle_kernel(const T* d_from, typename Op::type* d_to, int n) {
    auto value = Op::identity();
    for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) value = Op()(value, d_from[i]);
    value = reduce_block<Op>(value);
    if (threadIdx.x == 0) d_to[blockIdx.x] = value;
}

template <class Op, class T>
void warp_shuffle(const T* d_in, typename Op::type* d_result, int n, Workspace& work) {
    int blocks = std::clamp(ceil_div(n, kBlock), 1, kGrid);
    auto* d_partial = work.get<typename Op::type>(blocks);
    warp_shuffle_kernel<Op><<<blocks, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    warp_shuffle_kernel<Op><<<1, kBlock>>>(d_partial, d_result, blocks);
    CUDA_CHECK(cudaGetLastError());
}

template void warp_shuffle<Sum<long long>>(const int*, long long*, int, Workspace&);
template void warp_shuffle<Max<int>>(const int*, int*, int, Workspace&);
template void warp_shuffle<Min<int>>(const int*, int*, int, Workspace&);
template void warp_shuffle<Sum<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Max<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Min<float>>(const float*, float*, int, Workspace&);
