// verdict: WA task=grid_stride max_n=5000
// because: start from 0 instead
// Every operator starts from 0: a maximum of negative numbers is 0 then.
#include <algorithm>

#include "reduce.h"

constexpr int kBlock = 256;
constexpr int kGrid = 1024;

template <class Op, class T>
__global__ void grid_stride_kernel(const T* d_from, typename Op::type* d_to, int n) {
    __shared__ typename Op::type s[kBlock];
    Op op;
    int t = threadIdx.x;
    typename Op::type value = n == 0 ? Op::identity() : 0;
    for (int i = blockIdx.x * kBlock + t; i < n; i += gridDim.x * kBlock) value = op(value, d_from[i]);
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

// ---- Not started ----
void global_memory(const int*, long long*, int, Workspace&) { todo("1"); }
void interleaved(const int*, long long*, int, Workspace&) { todo("2"); }
void sequential(const int*, long long*, int, Workspace&) { todo("3"); }
template <class Op, class T>
void warp_shuffle(const T*, typename Op::type*, int, Workspace&) {
    todo("5");
}
template <class Op, class T>
void vectorized(const T*, typename Op::type*, int, Workspace&) {
    todo("6");
}

template void grid_stride<Sum<long long>>(const int*, long long*, int, Workspace&);
template void grid_stride<Max<int>>(const int*, int*, int, Workspace&);
template void grid_stride<Min<int>>(const int*, int*, int, Workspace&);
template void grid_stride<Sum<float>>(const float*, float*, int, Workspace&);
template void grid_stride<Max<float>>(const float*, float*, int, Workspace&);
template void grid_stride<Min<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Sum<long long>>(const int*, long long*, int, Workspace&);
template void warp_shuffle<Max<int>>(const int*, int*, int, Workspace&);
template void warp_shuffle<Min<int>>(const int*, int*, int, Workspace&);
template void warp_shuffle<Sum<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Max<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Min<float>>(const float*, float*, int, Workspace&);
template void vectorized<Sum<long long>>(const int*, long long*, int, Workspace&);
template void vectorized<Max<int>>(const int*, int*, int, Workspace&);
template void vectorized<Min<int>>(const int*, int*, int, Workspace&);
template void vectorized<Sum<float>>(const float*, float*, int, Workspace&);
template void vectorized<Max<float>>(const float*, float*, int, Workspace&);
template void vectorized<Min<float>>(const float*, float*, int, Workspace&);
