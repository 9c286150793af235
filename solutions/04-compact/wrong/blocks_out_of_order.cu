// verdict: WA task=fused max_n=5000
// because: right on one run and wrong on the next
// Order within a block by a scan, but blocks take their places from a counter: first come, first served.
#include "compact.h"

constexpr int kTile = 256;

// How many of the threads before this one keep theirs: Hillis and Steele's scan (lab 3). All threads of a block call
// it. Shared memory: two tiles of int.
__device__ int rank_in_tile(bool kept) {
    __shared__ int s_counts[2][kTile];
    int t = threadIdx.x, from = 0;
    s_counts[from][t] = kept ? 1 : 0;
    __syncthreads();
    for (int distance = 1; distance < kTile; distance *= 2) {
        int to = 1 - from;
        s_counts[to][t] = s_counts[from][t] + (t >= distance ? s_counts[from][t - distance] : 0);
        __syncthreads();
        from = to;
    }
    return t > 0 ? s_counts[from][t - 1] : 0;
}

template <class Keep>
__global__ void compact_tiles(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n,
                              Keep keep) {
    __shared__ int s_first;
    int i = blockIdx.x * kTile + threadIdx.x;
    bool kept = i < n && keep(d_in[i]);
    int rank = rank_in_tile(kept);
    if (threadIdx.x == kTile - 1) s_first = atomicAdd(d_count, rank + (kept ? 1 : 0));
    __syncthreads();
    if (kept) d_out[s_first + rank] = d_in[i];
}

template <class Keep>
void fused(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
    if (n == 0) return;
    compact_tiles<<<ceil_div(n, kTile), kTile>>>(d_in, d_out, d_count, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void fused(const int*, int*, int*, int, IsPositive, Workspace&);
template void fused(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void fused(const float*, float*, int*, int, IsAbove, Workspace&);
