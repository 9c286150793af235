// Task 2, fused: as 1, but a block asks, scans and scatters its own tile, and only its count goes through memory. The
// predicate is asked twice, which costs less than storing its answers.
// Global memory: each element read twice; a count and an offset for each tile.
#include "compact.h"

constexpr int kTile = 256;  // a thread for each element

// The number of earlier threads of the block that keep their element, by Hillis and Steele's scan (lab 3). Called by
// all threads of the block. Shared memory: two buffers of a tile of int, which take turns.
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

// Launch: a block of kTile threads for each tile.
template <class T, class Keep>
__global__ void count_tiles(const T* d_in, int* d_counts, int n, Keep keep) {
    int i = blockIdx.x * kTile + threadIdx.x;
    int count = __syncthreads_count(i < n && keep(d_in[i]));  // a barrier that counts
    if (threadIdx.x == 0) d_counts[blockIdx.x] = count;
}

// Launch: as above. d_offsets[tile] is the number of kept elements before the tile.
template <class T, class Keep>
__global__ void scatter_tiles(const T* d_in, const int* d_offsets, T* d_out, int* d_count, int n, Keep keep) {
    int i = blockIdx.x * kTile + threadIdx.x;
    T x = i < n ? d_in[i] : T{};
    bool kept = i < n && keep(x);
    int rank = rank_in_tile(kept);
    if (kept) d_out[d_offsets[blockIdx.x] + rank] = x;
    if (i == 0) *d_count = d_offsets[gridDim.x];
}

template <class T, class Keep>
void fused(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
    int tiles = ceil_div(n, kTile);
    int* d_counts = work.get<int>(tiles);
    int* d_offsets = work.get<int>(tiles + 1);
    count_tiles<<<tiles, kTile>>>(d_in, d_counts, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_offsets, tiles, work);
    scatter_tiles<<<tiles, kTile>>>(d_in, d_offsets, d_out, d_count, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void fused(const int*, int*, int*, int, IsPositive, Workspace&);
template void fused(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void fused(const float*, float*, int*, int, IsAbove, Workspace&);
