// verdict: WA task=naive max_n=5000
// because: right up to index 31, wrong from 32 on to the end
// Every step reads and writes d_out: nothing orders the blocks of one launch.
#include "scan.h"

__global__ void naive_step(int* d_out, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i >= offset) d_out[i] += d_out[i - offset];
}

void naive(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_in, n * sizeof(int), cudaMemcpyDeviceToDevice));
    for (int offset = 1; offset < n; offset *= 2) {
        naive_step<<<ceil_div(n, 256), 256>>>(d_out, n, offset);
        CUDA_CHECK(cudaGetLastError());
    }
}
