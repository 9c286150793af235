// Style: cuda::barrier with arrive and wait, named barriers in inline PTX; halves of a block
// with barriers of their own.
#include <cuda/barrier>

#include "reduce.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;

template <class T>
__global__ void by_barrier(const T* from, long long* to, int n) {
    __shared__ Barrier barrier;
    __shared__ long long s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (t == 0) init(&barrier, 256);
    __syncthreads();
    s[t] = i < n ? from[i] : 0;
    for (int half = 128; half > 0; half /= 2) {
        barrier.arrive_and_wait();
        if (t < half) s[t] += s[t + half];
    }
    barrier.wait(barrier.arrive());
    if (t == 0) to[blockIdx.x] = s[0];
}

// Each half of the block has a barrier of its own; the last step has the block's.
__device__ void half_barrier(int number) { asm volatile("bar.sync %0, 128;" ::"r"(number + 1) : "memory"); }

template <class T>
__global__ void by_halves(const T* from, long long* to, int n) {
    __shared__ long long s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, half = t / 128, k = t % 128;
    long long* own = s + 128 * half;
    own[k] = i < n ? from[i] : 0;
    for (int apart = 1; apart < 128; apart *= 2) {
        half_barrier(half);
        if (k % (2 * apart) == 0) own[k] += own[k + apart];
    }
    asm volatile("barrier.sync 0;" ::: "memory");
    if (t == 0) to[blockIdx.x] = s[0] + s[128];
}

template <class First, class Rest>
void levels(First first, Rest rest, const int* d_in, long long* d_sum, int n, Workspace& work) {
    int blocks = n == 0 ? 1 : ceil_div(n, 256);
    long long* d_from = blocks == 1 ? d_sum : work.get<long long>(blocks);
    first<<<blocks, 256>>>(d_in, d_from, n);
    CUDA_CHECK(cudaGetLastError());
    for (int left = blocks; left > 1; left = ceil_div(left, 256)) {
        long long* d_to = left <= 256 ? d_sum : work.get<long long>(ceil_div(left, 256));
        rest<<<ceil_div(left, 256), 256>>>(d_from, d_to, left);
        CUDA_CHECK(cudaGetLastError());
        d_from = d_to;
    }
}

void sequential(const int* d_in, long long* d_sum, int n, Workspace& work) {
    levels(by_barrier<int>, by_barrier<long long>, d_in, d_sum, n, work);
}

void interleaved(const int* d_in, long long* d_sum, int n, Workspace& work) {
    levels(by_halves<int>, by_halves<long long>, d_in, d_sum, n, work);
}
