// Style: C++ with a small state machine: who keeps and who drops go separate ways, and each way has its own vote with
// the full mask, as Volta and later allow; a chunk for each warp, three launches.
#include "compact.h"

constexpr int kAll = ~0, kChunk = 32 * 16, kWarps = 4;

enum class Fate { kept, dropped };

// The lanes of the warp that are kept, and whether this one is.
__device__ unsigned kept_lanes(Fate fate) {
    switch (fate) {
        case Fate::kept:
            return __ballot_sync(kAll, 1);
        case Fate::dropped:
            return __ballot_sync(kAll, 0);
    }
    return 0;
}

template <class T, class Keep>
__global__ void count(const T* in, int* counts, int n, int chunks, Keep keep) {
    int chunk = blockIdx.x * kWarps + threadIdx.x / 32, total = 0;
    if (chunk >= chunks) return;
    for (int k = threadIdx.x % 32; k < kChunk; k += 32) {
        int i = chunk * kChunk + k;
        total += __popc(kept_lanes(i < n && keep(in[i]) ? Fate::kept : Fate::dropped));
    }
    if (threadIdx.x % 32 == 0) counts[chunk] = total;
}

template <class T, class Keep>
__global__ void move(const T* in, T* out, const int* begin, int* d_count, int n, int chunks, Keep keep) {
    int chunk = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (chunk >= chunks) return;
    int to = begin[chunk];
    for (int k = lane; k < kChunk; k += 32) {
        int i = chunk * kChunk + k;
        bool kept = i < n && keep(in[i]);
        unsigned lanes = kept_lanes(kept ? Fate::kept : Fate::dropped);
        if (kept) out[to + __popc(lanes & ((1u << lane) - 1))] = in[i];
        to += __popc(lanes);
    }
    if (chunk == chunks - 1 && lane == 0) *d_count = to;
}

template <class T, class Keep>
void warp_ballot(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    if (n == 0) return CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
    int chunks = ceil_div(n, kChunk), blocks = ceil_div(chunks, kWarps);
    int *d_counts = work.get<int>(chunks), *d_begin = work.get<int>(chunks + 1);
    count<<<blocks, 32 * kWarps>>>(d_in, d_counts, n, chunks, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_begin, chunks, work);
    move<<<blocks, 32 * kWarps>>>(d_in, d_out, d_begin, d_count, n, chunks, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void warp_ballot(const int*, int*, int*, int, IsPositive, Workspace&);
template void warp_ballot(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void warp_ballot(const float*, float*, int*, int, IsAbove, Workspace&);
template void warp_ballot(const int*, int*, int*, int, Always, Workspace&);
