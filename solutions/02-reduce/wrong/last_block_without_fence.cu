// verdict: CHECK task=grid_stride max_n=5000
// because: a flag, counter or lock orders nothing without fences
// One launch: the block that counts last adds up what the others left. Nothing says that their partial sums arrive
// before they are counted: that takes a __threadfence() between the two.
#include <algorithm>

#include "reduce.h"

constexpr int kBlock = 256;
constexpr int kGrid = 1024;

// Thread 0 gets the result.
template <class Op>
__device__ typename Op::type reduce_block(typename Op::type value) {
    __shared__ typename Op::type s[kBlock];
    int t = threadIdx.x;
    s[t] = value;
    for (int half = kBlock / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t] = Op()(s[t], s[t + half]);
    }
    return s[t];
}

template <class Op, class T>
__global__ void grid_stride_kernel(const T* d_in, typename Op::type* d_partial, unsigned* d_count,
                                   typename Op::type* d_result, int n) {
    __shared__ bool s_is_last;
    int t = threadIdx.x;
    auto value = Op::identity();
    for (int i = blockIdx.x * kBlock + t; i < n; i += gridDim.x * kBlock) value = Op()(value, d_in[i]);
    value = reduce_block<Op>(value);
    if (t == 0) {
        d_partial[blockIdx.x] = value;
        s_is_last = atomicAdd(d_count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!s_is_last) return;
    value = Op::identity();
    for (int b = t; b < gridDim.x; b += kBlock) value = Op()(value, d_partial[b]);
    value = reduce_block<Op>(value);
    if (t == 0) *d_result = value;
}

template <class Op, class T>
void grid_stride(const T* d_in, typename Op::type* d_result, int n, Workspace& work) {
    int blocks = std::clamp(ceil_div(n, kBlock), 1, kGrid);
    auto* d_partial = work.get<typename Op::type>(blocks);
    auto* d_count = work.get<unsigned>(1);
    CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof *d_count));
    grid_stride_kernel<Op><<<blocks, kBlock>>>(d_in, d_partial, d_count, d_result, n);
    CUDA_CHECK(cudaGetLastError());
}

template void grid_stride<Sum<long long>>(const int*, long long*, int, Workspace&);
template void grid_stride<Max<int>>(const int*, int*, int, Workspace&);
template void grid_stride<Min<int>>(const int*, int*, int, Workspace&);
template void grid_stride<Sum<float>>(const float*, float*, int, Workspace&);
template void grid_stride<Max<float>>(const float*, float*, int, Workspace&);
template void grid_stride<Min<float>>(const float*, float*, int, Workspace&);
