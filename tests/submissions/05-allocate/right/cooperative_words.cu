// Style: one big kernel with phases and grid.sync() between them, persistent blocks, everything in one launch; static
// device variables; atomics in shared memory; a thread block of 1024.
#include <cooperative_groups.h>

#include "allocate.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 1024, kMostBlocks = 1024;
static __device__ int begun_in[kMostBlocks], ended_in[kMostBlocks];

__device__ bool letter(const unsigned char* text, int n, int i) { return i >= 0 && i < n && !is_blank(text[i]); }

// How many before me in the block; total: of the whole block.
__device__ int rank(bool mine, int& total) {
    __shared__ int s_warps[32];
    unsigned vote = __ballot_sync(0xffffffff, mine);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __syncthreads();
    if (lane == 0) s_warps[warp] = __popc(vote);
    __syncthreads();
    int before = 0;
    total = 0;
    for (int w = 0; w < kThreads / 32; ++w) {
        before += w < warp ? s_warps[w] : 0;
        total += s_warps[w];
    }
    return before + __popc(vote & ((1u << lane) - 1));
}

__global__ void __launch_bounds__(kThreads)
    find_words(const unsigned char* text, int* offsets, int* lengths, int* count, int n) {
    __shared__ int s_begun, s_ended;
    auto grid = cg::this_grid();
    int each = (n + gridDim.x - 1) / gridDim.x, first = min(n, int(blockIdx.x) * each), end = min(n, first + each);

    // Phase 1: how many words begin and end in this block's piece?
    if (threadIdx.x == 0) s_begun = s_ended = 0;
    __syncthreads();
    int begun = 0, ended = 0;
    for (int i = first + threadIdx.x; i < end; i += kThreads) {
        if (!letter(text, n, i)) continue;
        begun += !letter(text, n, i - 1);
        ended += !letter(text, n, i + 1);
    }
    atomicAdd(&s_begun, begun);
    atomicAdd(&s_ended, ended);
    __syncthreads();
    if (threadIdx.x == 0) {
        begun_in[blockIdx.x] = s_begun;
        ended_in[blockIdx.x] = s_ended;
    }
    grid.sync();

    // Phase 2: where do they go?
    begun = ended = 0;
    int words = 0;
    for (int b = 0; b < gridDim.x; ++b) {
        if (b < blockIdx.x) begun += begun_in[b], ended += ended_in[b];
        words += begun_in[b];
    }
    for (int i = first; i < end; i += kThreads) {
        int at = i + threadIdx.x, total;
        bool here = at < end && letter(text, n, at);
        int place = begun + rank(here && !letter(text, n, at - 1), total);
        if (here && !letter(text, n, at - 1)) offsets[place] = at;
        begun += total;
        place = ended + rank(here && !letter(text, n, at + 1), total);
        if (here && !letter(text, n, at + 1)) lengths[place] = at + 1;
        ended += total;
    }
    grid.sync();

    // Phase 3: lengths from ends.
    for (int w = grid.thread_rank(); w < words; w += grid.size()) lengths[w] -= offsets[w];
    if (grid.thread_rank() == 0) *count = words;
}

void words(const unsigned char* d_text, int* d_offsets, int* d_lengths, int* d_count, int n, Workspace&) {
    int sms = 0, each = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, find_words, kThreads, 0));
    int blocks = sms * each < kMostBlocks ? sms * each : kMostBlocks;
    void* arguments[] = {&d_text, &d_offsets, &d_lengths, &d_count, &n};
    CUDA_CHECK(cudaLaunchCooperativeKernel((const void*)find_words, blocks, kThreads, arguments, 0, 0));
}
