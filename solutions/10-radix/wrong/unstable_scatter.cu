// verdict: WA task=split_one_bit max_n=5000
// because: wrong from n = 33 on (uint32)
// Two counters hand out places: zeros and ones each in whatever order their threads come.
#include <utility>

#include "radix.h"

constexpr int kBlock = 256;

// Launch: a thread for each key.
__global__ void count_zeros(const unsigned* d_keys, int* d_next, int n, int bit) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n && (d_keys[i] >> bit & 1) == 0) atomicAdd(&d_next[1], 1);
}

// Launch: as above. d_next: where the next zero and the next one go.
__global__ void take_places(const unsigned* d_from, int* d_next, unsigned* d_to, int n, int bit) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_to[atomicAdd(&d_next[d_from[i] >> bit & 1], 1)] = d_from[i];
}

void split_one_bit(const unsigned* d_in, unsigned* d_out, int n, Bits bits, Workspace& work) {
    if (n == 0) return;
    int passes = bits.end - bits.begin;
    int* d_next = work.get<int>(2);
    unsigned *d_to = d_out, *d_other = work.get<unsigned>(n);
    if (passes % 2 == 0) std::swap(d_to, d_other);
    const unsigned* d_from = d_in;
    for (int bit = bits.begin; bit < bits.end; ++bit) {
        CUDA_CHECK(cudaMemsetAsync(d_next, 0, 2 * sizeof(int)));
        count_zeros<<<ceil_div(n, kBlock), kBlock>>>(d_from, d_next, n, bit);
        CUDA_CHECK(cudaGetLastError());
        take_places<<<ceil_div(n, kBlock), kBlock>>>(d_from, d_next, d_to, n, bit);
        CUDA_CHECK(cudaGetLastError());
        d_from = d_to;
        std::swap(d_to, d_other);
    }
}
