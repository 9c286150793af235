// verdict: WA task=grid_stride max_n=5000
// because: wrong from n = 1 on
// i < n - 1: the last element is left out.
#include <algorithm>

#include "reduce.h"

constexpr int kBlock = 256;
constexpr int kGrid = 1024;

template <class Op, class T>
__global__ void grid_stride_kernel(const T* d_from, typename Op::type* d_to, int n) {
    __shared__ typename Op::type s[kBlock];
    Op op;
    int t = threadIdx.x;
    auto value = Op::identity();
    for (int i = blockIdx.x * kBlock + t; i < n - 1; i += gridDim.x * kBlock) value = op(value, d_from[i]);
    s[t] = value;
    for (int half = kBlock / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t] = op(s[t], s[t + half]);
    }
    if (t == 0) d_to[blockIdx.x] = s[0];
}

template <class Op, class T>
void grid_stride(const T* d_in, typename Op::type* d_result, int n, Workspace& work) {
    int blocks = std::clamp(ceil_div(n, kBlock), 1, kGrid);
    auto* d_partial = work.get<typename Op::type>(blocks);
    grid_stride_kernel<Op><<<blocks, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    grid_stride_kernel<Op><<<1, kBlock>>>(d_partial, d_result, blocks);
    CUDA_CHECK(cudaGetLastError());
}

template void grid_stride<Sum<long long>>(const int*, long long*, int, Workspace&);
template void grid_stride<Max<int>>(const int*, int*, int, Workspace&);
template void grid_stride<Min<int>>(const int*, int*, int, Workspace&);
template void grid_stride<Sum<float>>(const float*, float*, int, Workspace&);
template void grid_stride<Max<float>>(const float*, float*, int, Workspace&);
template void grid_stride<Min<float>>(const float*, float*, int, Workspace&);
