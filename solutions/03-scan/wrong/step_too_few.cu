// verdict: WA task=hillis_steele max_n=5000
// because: right up to index 511, wrong from 512 on to the end
// The last step, at distance kTile / 2, is left out.
#include "scan.h"

__global__ void hillis_steele_kernel(const int* d_in, int* d_out, int n) {
    __shared__ int s_tile[2][kTile];
    int t = threadIdx.x;
    int i = blockIdx.x * kTile + t;
    s_tile[0][t] = i < n ? d_in[i] : 0;
    __syncthreads();
    int from = 0;
    for (int offset = 1; offset < kTile / 2; offset *= 2) {
        int to = 1 - from;
        s_tile[to][t] = t >= offset ? s_tile[from][t - offset] + s_tile[from][t] : s_tile[from][t];
        __syncthreads();
        from = to;
    }
    if (i < n) d_out[i] = s_tile[from][t];
}

void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    hillis_steele_kernel<<<ceil_div(n, kTile), kTile>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
