// Task 2, hillis_steele: as 1, but a block makes all steps of its tile in shared memory.
// Global memory: each element read once, written once. Work is still O(log kTile) additions an element.
#include "scan.h"

// Launch: a block of kTile threads for each tile. Shared memory: two tiles.
__global__ void hillis_steele_kernel(const int* d_in, int* d_out, int n) {
    __shared__ int s_tile[2][kTile];
    int t = threadIdx.x;
    int i = blockIdx.x * kTile + t;
    s_tile[0][t] = i < n ? d_in[i] : 0;  // threads beyond the end stay: the barriers need all of them
    __syncthreads();

    int from = 0;
    for (int offset = 1; offset < kTile; offset *= 2) {
        int to = 1 - from;
        s_tile[to][t] = t >= offset ? s_tile[from][t - offset] + s_tile[from][t] : s_tile[from][t];
        __syncthreads();  // one is enough: the next step writes the buffer that this one has finished reading
        from = to;
    }
    if (i < n) d_out[i] = s_tile[from][t];
}

void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    hillis_steele_kernel<<<ceil_div(n, kTile), kTile>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
