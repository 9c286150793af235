// verdict: WA task=sequential
// because: wrong from n = 65,537 on
// Two launches, always: the second one adds 256 partial sums and no more.
#include <algorithm>

#include "reduce.h"

constexpr int kBlock = 256;

template <class T>
__global__ void sequential_kernel(const T* d_from, long long* d_to, int n) {
    __shared__ long long s[kBlock];
    int t = threadIdx.x;
    int i = blockIdx.x * kBlock + t;
    s[t] = i < n ? d_from[i] : 0;
    for (int half = kBlock / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t] += s[t + half];
    }
    if (t == 0) d_to[blockIdx.x] = s[0];
}

template <class T>
void add_sequential(const T* d_from, long long* d_sum, int n, Workspace& work) {
    int blocks = std::max(1, ceil_div(n, kBlock));
    auto* d_partial = work.get<long long>(blocks);
    sequential_kernel<<<blocks, kBlock>>>(d_from, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    sequential_kernel<<<1, kBlock>>>(d_partial, d_sum, blocks);
    CUDA_CHECK(cudaGetLastError());
}

void sequential(const int* d_in, long long* d_sum, int n, Workspace& work) { add_sequential(d_in, d_sum, n, work); }
