// verdict: SLOW task=hillis_steele
// because: of 32 lanes are active in an instruction
// Thread 0 adds up the whole tile, the others watch.
#include "scan.h"

__global__ void hillis_steele_kernel(const int* d_in, int* d_out, int n) {
    __shared__ int s_tile[kTile];
    int t = threadIdx.x;
    int i = blockIdx.x * kTile + t;
    s_tile[t] = i < n ? d_in[i] : 0;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < kTile; ++k) s_tile[k] += s_tile[k - 1];
    }
    __syncthreads();
    if (i < n) d_out[i] = s_tile[t];
}

void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    hillis_steele_kernel<<<ceil_div(n, kTile), kTile>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
