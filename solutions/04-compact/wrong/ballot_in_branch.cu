// verdict: TLE task=warp_ballot max_n=5000
// because: wait for other lanes of their warp
// Only the lanes that keep theirs vote, and only they learn how many there are.
#include "compact.h"

constexpr int kBlock = 256;
constexpr int kRows = 8;            // of 32 elements, for every warp
constexpr int kChunk = 32 * kRows;  // a warp's elements
constexpr unsigned kAllLanes = 0xffffffff;

__device__ int warp_of_grid() { return static_cast<int>(blockIdx.x * kBlock + threadIdx.x) / 32; }

// Launch: a warp for each chunk, and as many as fill the last block: those find nothing.
template <class Keep>
__global__ void count_chunks(const typename Keep::type* d_in, int* d_counts, int n, Keep keep) {
    int warp = warp_of_grid(), lane = threadIdx.x % 32;
    int count = 0;
    for (int r = 0; r < kRows; ++r) {
        int i = warp * kChunk + r * 32 + lane;
        count += __popc(__ballot_sync(kAllLanes, i < n && keep(d_in[i])));  // all lanes vote, also those beyond n
    }
    if (lane == 0) d_counts[warp] = count;
}

// Launch: as above. d_offsets[warp]: how many before the warp's chunk are kept.
template <class Keep>
__global__ void scatter_chunks(const typename Keep::type* d_in, const int* d_offsets, typename Keep::type* d_out,
                               int* d_count, int n, int warps, Keep keep) {
    int warp = warp_of_grid(), lane = threadIdx.x % 32;
    unsigned lanes_before = (1u << lane) - 1;
    int row = d_offsets[warp];  // where the row's first kept element goes
    for (int r = 0; r < kRows; ++r) {
        int i = warp * kChunk + r * 32 + lane;
        unsigned votes = 0;
        if (i < n && keep(d_in[i])) {
            votes = __ballot_sync(kAllLanes, true);
            d_out[row + __popc(votes & lanes_before)] = d_in[i];
        }
        row += __popc(votes);
    }
    if (warp == 0 && lane == 0) *d_count = d_offsets[warps];
}

template <class Keep>
void warp_ballot(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
                 Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
    int blocks = ceil_div(ceil_div(n, kChunk), kBlock / 32), warps = blocks * (kBlock / 32);
    int* d_counts = work.get<int>(warps);
    int* d_offsets = work.get<int>(warps + 1);
    count_chunks<<<blocks, kBlock>>>(d_in, d_counts, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_offsets, warps, work);
    scatter_chunks<<<blocks, kBlock>>>(d_in, d_offsets, d_out, d_count, n, warps, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void warp_ballot(const int*, int*, int*, int, IsPositive, Workspace&);
template void warp_ballot(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void warp_ballot(const float*, float*, int*, int, IsAbove, Workspace&);
template void warp_ballot(const int*, int*, int*, int, Always, Workspace&);
