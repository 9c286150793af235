// Style: inline PTX throughout: bfe for the bit, vote.ballot, popc and %lanemask_lt for the rank; a block's ones are
// counted by __syncthreads_count; #define for launches; counters in a struct of arrays.
#include "radix.h"

#define LAUNCH(kernel, blocks, ...)                  \
    do {                                             \
        kernel<<<(blocks), kThreads>>>(__VA_ARGS__); \
        CUDA_CHECK(cudaGetLastError());              \
    } while (0)

constexpr int kThreads = 1024;

__device__ __forceinline__ unsigned field(unsigned word, int begin, int width) {
    unsigned value;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(value) : "r"(word), "r"(begin), "r"(width));
    return value;
}

__device__ __forceinline__ unsigned vote(bool yes) {
    unsigned ballot;
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "setp.ne.u32 p, %1, 0;\n\t"
        "vote.sync.ballot.b32 %0, p, 0xffffffff;\n\t"
        "}"
        : "=r"(ballot)
        : "r"(static_cast<unsigned>(yes)));
    return ballot;
}

__device__ __forceinline__ int ones_below(unsigned ballot) {
    int count;
    asm("{\n\t.reg .b32 m;\n\tmov.u32 m, %%lanemask_lt;\n\tand.b32 m, m, %1;\n\tpopc.b32 %0, m;\n\t}"
        : "=r"(count)
        : "r"(ballot));
    return count;
}

struct Counts {
    int *zeros, *before;
};

__global__ void count_zeros(const unsigned* keys, Counts counts, int n, int bit) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    int zeros = __syncthreads_count(i < n && !field(keys[i], bit, 1));
    if (threadIdx.x == 0) counts.zeros[blockIdx.x] = zeros;
}

__global__ void move(const unsigned* from, unsigned* to, Counts counts, int n, int bit) {
    __shared__ int s_zeros[32];
    int i = blockIdx.x * kThreads + threadIdx.x, warp = threadIdx.x >> 5;
    unsigned key = i < n ? from[i] : ~0u, ballot = vote(i < n && !field(key, bit, 1));
    if ((threadIdx.x & 31) == 0) s_zeros[warp] = __popc(ballot);
    __syncthreads();
    int before = counts.before[blockIdx.x], all = counts.before[gridDim.x];
    for (int w = 0; w < warp; ++w) before += s_zeros[w];
    before += ones_below(ballot);
    if (i < n) to[field(key, bit, 1) ? all + i - before : before] = key;
}

void split_one_bit(const unsigned* d_in, unsigned* d_out, int n, Bits bits, Workspace& work) {
    if (n == 0) return;
    int blocks = ceil_div(n, kThreads), passes = bits.end - bits.begin;
    Counts counts = {work.get<int>(blocks), work.get<int>(blocks + 1)};
    unsigned* other = passes > 1 ? work.get<unsigned>(n) : nullptr;
    for (int bit = bits.begin; bit < bits.end; bit++) {
        const unsigned* from = bit == bits.begin ? d_in : (bits.end - bit) % 2 ? other : d_out;
        unsigned* to = (bits.end - bit) % 2 ? d_out : other;
        LAUNCH(count_zeros, blocks, from, counts, n, bit);
        primitives::exclusive_sum(counts.zeros, counts.before, blocks, work);
        LAUNCH(move, blocks, from, to, counts, n, bit);
    }
}
