// verdict: WA or CHECK task=hillis_steele max_n=5000
// because: race in shared memory
// One buffer: a neighbour may have been overwritten before it is read.
#include "scan.h"

__global__ void hillis_steele_kernel(const int* d_in, int* d_out, int n) {
    __shared__ int s[kTile];
    int t = threadIdx.x;
    int i = blockIdx.x * kTile + t;
    s[t] = i < n ? d_in[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < kTile; offset *= 2) {
        if (t >= offset) s[t] += s[t - offset];
        __syncthreads();
    }
    if (i < n) d_out[i] = s[t];
}

void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    hillis_steele_kernel<<<ceil_div(n, kTile), kTile>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
