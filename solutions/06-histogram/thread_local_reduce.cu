// Task 3, thread_local_reduce: as 2, but the threads of a warp add up their bins first. Then each lane has the sum of
// another bin: a warp needs one atomic for each bin, not up to 32.
#include "private_bins.cuh"

// Of 32 lanes with 32 numbers each, lane k gets the sum of all v[k], in v[0]. In each step a lane gives half of its
// numbers to the lane across and adds what it gets to the other half: 16 + 8 + 4 + 2 + 1 shuffles, where one sum alone
// takes 5. A template, because v stays in registers only if every index is known to the compiler.
template <int kHalf = 16>
__device__ void sum_across_lanes(unsigned (&v)[32], int lane) {
    bool upper = lane & kHalf;
#pragma unroll
    for (int k = 0; k < kHalf; ++k) {
        unsigned give = upper ? v[k] : v[k + kHalf];
        unsigned keep = upper ? v[k + kHalf] : v[k];
        v[k] = keep + __shfl_xor_sync(0xffffffff, give, kHalf);
    }
    if constexpr (kHalf > 1) sum_across_lanes<kHalf / 2>(v, lane);
}

// Launch: as task 2. Local memory: the thread's bins.
template <class T, class Bins>
__global__ void thread_local_reduce_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {
    unsigned own[kPrivate];
    count_own(d_in, n, bins, own);
    int lane = threadIdx.x % 32;
    for (int first = 0; first <= bins.count; first += 32) {
        unsigned part[32];
        for (int k = 0; k < 32; ++k) part[k] = own[first + k];
        sum_across_lanes(part, lane);
        if (part[0] > 0) atomicAdd(&d_counts[first + lane], part[0]);  // beyond the last counter all are 0
    }
}

template <class T, class Bins>
void thread_local_reduce(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
    thread_local_reduce_kernel<<<private_blocks(n, bins), kPrivateBlock>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template void thread_local_reduce(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_reduce(const float*, int, UniformFloat, unsigned*, Workspace&);
