// Task 2, interleaved: as 1, but a block climbs eight levels in shared memory before it writes one partial sum.
#include <algorithm>

#include "reduce.h"

constexpr int kBlock = 256;

// Launch: a thread for each element, then for each partial sum. Shared memory: one long long a thread.
template <class T>
__global__ void interleaved_kernel(const T* d_from, long long* d_to, int n) {
    __shared__ long long s[kBlock];
    int t = threadIdx.x;
    int i = blockIdx.x * kBlock + t;
    s[t] = i < n ? d_from[i] : 0;
    for (int apart = 1; apart < kBlock; apart *= 2) {
        __syncthreads();
        if (t % (2 * apart) == 0) s[t] += s[t + apart];
    }
    if (t == 0) d_to[blockIdx.x] = s[0];
}

template <class T>
void add_interleaved(const T* d_from, long long* d_sum, int n, Workspace& work) {
    int blocks = std::max(1, ceil_div(n, kBlock));
    long long* d_to = blocks == 1 ? d_sum : work.get<long long>(blocks);
    interleaved_kernel<<<blocks, kBlock>>>(d_from, d_to, n);
    CUDA_CHECK(cudaGetLastError());
    if (blocks > 1) add_interleaved(d_to, d_sum, blocks, work);
}

void interleaved(const int* d_in, long long* d_sum, int n, Workspace& work) { add_interleaved(d_in, d_sum, n, work); }
