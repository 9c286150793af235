// A warp has 32 elements, and counts by a vote.
#include "compact.h"
template <class T, class Keep>
__global__ void count_warps(const T* in, int* counts, int n, Keep keep) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int i = warp * 32 + lane;
    unsigned mask = __ballot_sync(0xffffffff, i < n && keep(in[i]));
    if (lane == 0) counts[warp] = __popc(mask);
}
template <class T, class Keep>
__global__ void scatter_warps(const T* in, const int* offsets, T* out, int* count, int n, int warps, Keep keep) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int i = warp + lane;
    bool yes = i < n && keep(in[i]);
    unsigned mask = __ballot_sync(0xffffffff, yes);
    int before = __popc(mask & ((1u << lane) - 1));
    if (yes) out[offsets[warp] + before] = in[i];
    if (warp == 0 && lane == 0) *count = offsets[warps];
}
template <class T, class Keep>
void warp_ballot(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
    if (n == 0) return;
    int blocks = ceil_div(n, 128), warps = blocks * 4;
    int *counts = work.get<int>(warps), *offsets = work.get<int>(warps + 1);
    count_warps<<<blocks, 128>>>(d_in, counts, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(counts, offsets, warps, work);
    scatter_warps<<<blocks, 128>>>(d_in, offsets, d_out, d_count, n, warps, keep);
    CUDA_CHECK(cudaGetLastError());
}
template void warp_ballot(const int*, int*, int*, int, IsPositive, Workspace&);
template void warp_ballot(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void warp_ballot(const float*, float*, int*, int, IsAbove, Workspace&);
template void warp_ballot(const int*, int*, int*, int, Always, Workspace&);
