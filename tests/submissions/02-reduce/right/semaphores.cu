// Style: cuda::binary_semaphore in shared memory, made by placement new; cuda::atomic_ref with operators.
#include <cuda/atomic>
#include <cuda/semaphore>
#include <new>

#include "reduce.h"

using Semaphore = cuda::binary_semaphore<cuda::thread_scope_block>;

__global__ void sum_all(const int* in, long long* sum, int n) {
    __shared__ alignas(Semaphore) unsigned char memory[sizeof(Semaphore)];
    __shared__ long long s_sum;
    auto* free_now = reinterpret_cast<Semaphore*>(memory);
    if (threadIdx.x == 0) {
        new (free_now) Semaphore(1);
        s_sum = 0;
    }
    __syncthreads();
    long long own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += in[i];
    for (int d = 16; d > 0; d /= 2) own += __shfl_xor_sync(~0u, own, d);
    if (threadIdx.x % 32 == 0) {  // a lane of each warp
        free_now->acquire();
        s_sum += own;
        free_now->release();
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<long long, cuda::thread_scope_device> total(*sum);
    total += s_sum;
}

void global_memory(const int* d_in, long long* d_sum, int n, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof *d_sum));
    sum_all<<<32, 256>>>(d_in, d_sum, n);
    CUDA_CHECK(cudaGetLastError());
}
