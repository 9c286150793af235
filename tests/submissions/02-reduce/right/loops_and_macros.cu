// Style: a textbook's ladder: loops instead of recursion, kernels by macros, 2 loads before the tree, 128 threads.
#include "reduce.h"

#define THREADS 128

// Two buffers in turn; the first level reads int.
template <class T>
__global__ void halve(const T* from, long long* to, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n + 1) / 2; i += gridDim.x * blockDim.x)
        to[i] = static_cast<long long>(from[2 * i]) + (2 * i + 1 < n ? from[2 * i + 1] : 0);
}

void global_memory(const int* d_in, long long* d_sum, int n, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemset(d_sum, 0, sizeof(long long)));
        return;
    }
    long long* buffer[2] = {work.get<long long>((n + 1) / 2), work.get<long long>((n + 3) / 4)};
    int turn = 0;
    halve<<<ceil_div((n + 1) / 2, THREADS), THREADS>>>(d_in, n <= 2 ? d_sum : buffer[0], n);
    CUDA_CHECK(cudaGetLastError());
    for (int left = (n + 1) / 2; left > 1; left = (left + 1) / 2) {
        long long* to = left <= 2 ? d_sum : buffer[1 - turn];
        halve<<<ceil_div((left + 1) / 2, THREADS), THREADS>>>(buffer[turn], to, left);
        CUDA_CHECK(cudaGetLastError());
        turn = 1 - turn;
    }
}

#define TREE_KERNEL(NAME, STEP)                                                                    \
    template <class T>                                                                             \
    __global__ void NAME(const T* from, long long* to, int n) {                                    \
        __shared__ long long sdata[THREADS];                                                       \
        unsigned tid = threadIdx.x;                                                                \
        int i = blockIdx.x * (2 * THREADS) + tid;                                                  \
        sdata[tid] = (i < n ? from[i] : 0) + (i + THREADS < n ? (long long)from[i + THREADS] : 0); \
        __syncthreads();                                                                           \
        STEP if (tid == 0) to[blockIdx.x] = sdata[0];                                              \
    }

TREE_KERNEL(
    tree_interleaved, for (unsigned s = 1; s < THREADS; s <<= 1) {
        unsigned index = 2 * s * tid;
        if (index < THREADS) sdata[index] += sdata[index + s];
        __syncthreads();
    })

TREE_KERNEL(
    tree_sequential, for (unsigned s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] += sdata[tid + s];
        }
        __syncthreads();
    })

#define DRIVER(TASK, KERNEL)                                               \
    void TASK(const int* d_in, long long* d_sum, int n, Workspace& work) { \
        int blocks = n == 0 ? 1 : ceil_div(n, 2 * THREADS);                \
        long long* a = work.get<long long>(blocks);                        \
        long long* b = work.get<long long>(ceil_div(blocks, 2 * THREADS)); \
        KERNEL<<<blocks, THREADS>>>(d_in, blocks == 1 ? d_sum : a, n);     \
        CUDA_CHECK(cudaGetLastError());                                    \
        while (blocks > 1) {                                               \
            int next = ceil_div(blocks, 2 * THREADS);                      \
            KERNEL<<<next, THREADS>>>(a, next == 1 ? d_sum : b, blocks);   \
            CUDA_CHECK(cudaGetLastError());                                \
            long long* other = a;                                          \
            a = b, b = other, blocks = next;                               \
        }                                                                  \
    }

DRIVER(interleaved, tree_interleaved)
DRIVER(sequential, tree_sequential)
