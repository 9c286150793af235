// Task 3, warp_ballot: as 2, but a warp counts by voting. A ballot shows every lane the 32 answers of a row, and a
// lane's rank is the number of 1s below its own bit. Warps are independent of each other: no shared memory, no barrier.
// Global memory: as 2, and a lane has several loads in flight at once.
#include "compact.h"
#include "toolbox/shuffle.h"

constexpr int kBlock = 256;
constexpr int kRows = 8;            // of 32 elements; each warp has this many
constexpr int kChunk = 32 * kRows;  // the elements of a warp

__device__ int warp_of_grid() { return static_cast<int>(blockIdx.x * kBlock + threadIdx.x) / 32; }

// Launch: a warp for each chunk, in whole blocks. The last block may have warps without elements, which count 0.
template <class T, class Keep>
__global__ void count_chunks(const T* d_in, int* d_counts, int n, Keep keep) {
    int warp = warp_of_grid(), lane = threadIdx.x % 32;
    int count = 0;
    for (int r = 0; r < kRows; ++r) {
        int i = warp * kChunk + r * 32 + lane;
        count += __popc(__ballot_sync(kAllLanes, i < n && keep(d_in[i])));  // all lanes vote, also those beyond n
    }
    if (lane == 0) d_counts[warp] = count;
}

// Launch: as above. d_offsets[warp] is the number of kept elements before the warp's chunk.
template <class T, class Keep>
__global__ void scatter_chunks(const T* d_in, const int* d_offsets, T* d_out, int* d_count, int n, int warps,
                               Keep keep) {
    int warp = warp_of_grid(), lane = threadIdx.x % 32;
    unsigned lanes_before = (1u << lane) - 1;
    T item[kRows];
    unsigned votes[kRows];
    for (int r = 0; r < kRows; ++r) {
        int i = warp * kChunk + r * 32 + lane;
        item[r] = i < n ? d_in[i] : T{};
        votes[r] = __ballot_sync(kAllLanes, i < n && keep(item[r]));
    }
    int row = d_offsets[warp];  // where the row's first kept element goes
    for (int r = 0; r < kRows; ++r) {
        if (votes[r] >> lane & 1) d_out[row + __popc(votes[r] & lanes_before)] = item[r];
        row += __popc(votes[r]);
    }
    if (warp == 0 && lane == 0) *d_count = d_offsets[warps];
}

template <class T, class Keep>
void warp_ballot(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
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
