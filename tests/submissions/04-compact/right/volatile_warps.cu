// Style: one tile for each warp, its ranks in volatile shared memory with __syncwarp, 96 threads in a block;
// __any_sync and __all_sync for tiles that keep nothing or everything.
#include "compact.h"

constexpr int kWarpsOfBlock = 3;

__device__ int rank_in_warp(volatile int* s, int lane, bool kept) {
    s[lane] = kept;
    __syncwarp();
    for (int distance = 1; distance < 32; distance += distance) {
        int left = lane >= distance ? s[lane - distance] : 0;
        __syncwarp();
        s[lane] = s[lane] + left;
        __syncwarp();
    }
    return s[lane] - kept;
}

template <class T, class Keep>
__global__ void count(const T* in, int* counts, int n, Keep keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool kept = i < n && keep(in[i]);
    int number = __any_sync(~0u, kept) ? __popc(__ballot_sync(~0u, kept)) : 0;
    if (threadIdx.x % 32 == 0) counts[i / 32] = number;
}

template <class T, class Keep>
__global__ void scatter(const T* in, const int* places, T* out, int* total, int n, int warps, Keep keep) {
    __shared__ int s_ranks[kWarpsOfBlock][32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool kept = i < n && keep(in[i]);
    int rank = __all_sync(~0u, kept) ? lane : rank_in_warp(s_ranks[threadIdx.x / 32], lane, kept);
    if (kept) out[places[i / 32] + rank] = in[i];
    if (i == 0) *total = places[warps];
}

template <class T, class Keep>
void fused(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int), cudaStreamLegacy));
        return;
    }
    int blocks = ceil_div(n, 32 * kWarpsOfBlock), warps = blocks * kWarpsOfBlock;
    int *d_counts = work.get<int>(warps), *d_places = work.get<int>(warps + 1);
    count<<<blocks, 32 * kWarpsOfBlock>>>(d_in, d_counts, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_places, warps, work);
    scatter<<<blocks, 32 * kWarpsOfBlock>>>(d_in, d_places, d_out, d_count, n, warps, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void fused(const int*, int*, int*, int, IsPositive, Workspace&);
template void fused(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void fused(const float*, float*, int*, int, IsAbove, Workspace&);
