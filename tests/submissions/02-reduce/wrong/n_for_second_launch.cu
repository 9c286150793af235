// Two launches of one kernel: sums of blocks, then the sum of these.
#include "reduce.h"
template <class T>
__global__ void block_sum(const T* in, long long* out, int n) {
    __shared__ long long sdata[256];
    unsigned int tid = threadIdx.x;
    long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) mine += in[i];
    sdata[tid] = mine;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}
void sequential(const int* d_in, long long* d_sum, int n, Workspace& work) {
    int blocks = (n + 255) / 256;
    if (blocks < 1) blocks = 1;
    if (blocks > 512) blocks = 512;
    long long* d_partial = work.get<long long>(blocks);
    block_sum<<<blocks, 256>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    block_sum<<<1, 256>>>(d_partial, d_sum, n);
    CUDA_CHECK(cudaGetLastError());
}
