// Style: blocks of 100 threads, the last warp not full; masks for those who are there; whole warps that leave early.
#include "reduce.h"

constexpr int kThreads = 100;

template <class T>
__global__ void add(const T* from, long long* to, int n) {
    __shared__ long long s[4];
    int i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int lanes = min(32, kThreads - 32 * warp);
    unsigned mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
    long long sum = i < n ? from[i] : 0;
    for (int d = 16; d > 0; d /= 2) {
        long long other = __shfl_down_sync(mask, sum, d);
        if (lane + d < lanes) sum += other;
    }
    if (lane == 0) s[warp] = sum;
    __syncthreads();
    if (warp > 0) return;
    __syncwarp();
    if (lane == 0) to[blockIdx.x] = s[0] + s[1] + s[2] + s[3];
}

// Threads without an element leave before the first barrier.
template <class T>
__global__ void add_early_exit(const T* from, long long* to, int n) {
    __shared__ long long s[kThreads];
    int i = blockIdx.x * kThreads + threadIdx.x, count = min(kThreads, n - static_cast<int>(blockIdx.x) * kThreads);
    if (i >= n) return;
    s[threadIdx.x] = from[i];
    for (int apart = 1; apart < kThreads; apart *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * apart) == 0 && threadIdx.x + apart < count) s[threadIdx.x] += s[threadIdx.x + apart];
    }
    if (threadIdx.x == 0) to[blockIdx.x] = s[0];
}

template <class First, class Rest>
void tree(First first, Rest rest, const int* d_in, long long* d_sum, int n, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof *d_sum));
        return;
    }
    int blocks = ceil_div(n, kThreads);
    long long* d_from = blocks == 1 ? d_sum : work.get<long long>(blocks);
    first<<<blocks, kThreads>>>(d_in, d_from, n);
    CUDA_CHECK(cudaGetLastError());
    while (blocks > 1) {
        int next = ceil_div(blocks, kThreads);
        long long* d_to = next == 1 ? d_sum : work.get<long long>(next);
        rest<<<next, kThreads>>>(d_from, d_to, blocks);
        CUDA_CHECK(cudaGetLastError());
        d_from = d_to;
        blocks = next;
    }
}

void sequential(const int* d_in, long long* d_sum, int n, Workspace& work) {
    tree(add<int>, add<long long>, d_in, d_sum, n, work);
}

void interleaved(const int* d_in, long long* d_sum, int n, Workspace& work) {
    tree(add_early_exit<int>, add_early_exit<long long>, d_in, d_sum, n, work);
}
