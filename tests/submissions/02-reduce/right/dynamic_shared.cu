// Style: more than 48 KiB of dynamic shared memory, asked for by cudaFuncSetAttribute; an untyped extern array; also a
// kernel whose last warp is unrolled over volatile shared memory with __syncwarp.
#include "reduce.h"

constexpr int kThreads = 1024;
constexpr int kEach = 7;
constexpr int kBytes = kThreads * kEach * sizeof(long long);  // 56 KiB

extern __shared__ unsigned char raw[];

template <class T>
__global__ void tree_of_many(const T* from, long long* to, int n) {
    auto* s = reinterpret_cast<long long*>(raw);
    int first = blockIdx.x * kThreads * kEach, t = threadIdx.x;
    for (int k = t; k < kThreads * kEach; k += kThreads) s[k] = first + k < n ? from[first + k] : 0;
    __syncthreads();
    for (int k = 1; k < kEach; ++k) s[t] += s[t + k * kThreads];
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half >>= 1) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) to[blockIdx.x] = s[0];
}

void sequential(const int* d_in, long long* d_sum, int n, Workspace& work) {
    int most = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (most < kBytes) throw CudaError(cudaErrorInvalidValue, "56 KiB of shared memory", __FILE__, __LINE__);
    CUDA_CHECK(cudaFuncSetAttribute(tree_of_many<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    CUDA_CHECK(cudaFuncSetAttribute(tree_of_many<long long>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    int blocks = n > 0 ? ceil_div(n, kThreads * kEach) : 1;
    long long* d_from = blocks > 1 ? work.get<long long>(blocks) : d_sum;
    tree_of_many<<<blocks, kThreads, kBytes>>>(d_in, d_from, n);
    CUDA_CHECK(cudaGetLastError());
    while (blocks > 1) {
        int next = ceil_div(blocks, kThreads * kEach);
        long long* d_to = next > 1 ? work.get<long long>(next) : d_sum;
        tree_of_many<<<next, kThreads, kBytes>>>(d_from, d_to, blocks);
        CUDA_CHECK(cudaGetLastError());
        d_from = d_to;
        blocks = next;
    }
}

template <class T>
__global__ void tree_with_unrolled_warp(const T* from, long long* to, int n) {
    extern __shared__ unsigned char raw[];
    volatile long long* s = reinterpret_cast<volatile long long*>(raw);
    unsigned t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? from[i] : 0;
    __syncthreads();
    for (unsigned apart = 1; apart < 32; apart *= 2) {
        long long other = t % (2 * apart) == 0 ? s[t + apart] : 0;
        __syncwarp();
        s[t] = s[t] + other;
        __syncwarp();
    }
    __syncthreads();
    if (t < 32) {
        long long sum = s[32 * t % blockDim.x];
        if (t >= blockDim.x / 32) sum = 0;
        __syncwarp();
        s[t] = sum;
        __syncwarp();
#pragma unroll
        for (int apart = 1; apart < 32; apart *= 2) {
            sum = t % (2 * apart) == 0 ? s[t] + s[t + apart] : s[t];
            __syncwarp();
            s[t] = sum;
            __syncwarp();
        }
        if (t == 0) to[blockIdx.x] = s[0];
    }
}

void interleaved(const int* d_in, long long* d_sum, int n, Workspace& work) {
    int blocks = n > 0 ? ceil_div(n, 512) : 1;
    long long* d_from = blocks > 1 ? work.get<long long>(blocks) : d_sum;
    tree_with_unrolled_warp<<<blocks, 512, 512 * sizeof(long long)>>>(d_in, d_from, n);
    CUDA_CHECK(cudaGetLastError());
    for (int left = blocks; left > 1; left = ceil_div(left, 512)) {
        long long* d_to = left <= 512 ? d_sum : work.get<long long>(ceil_div(left, 512));
        tree_with_unrolled_warp<<<ceil_div(left, 512), 512, 512 * sizeof(long long)>>>(d_from, d_to, left);
        CUDA_CHECK(cudaGetLastError());
        d_from = d_to;
    }
}
