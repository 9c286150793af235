// Lab 6, histogram: the ladder. A rung's comment says only what changed from the one before.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md).
//
// rung                      H200  idea
// global_atomics        3.9 GB/s  a thread for each value, an atomic on its counter in global memory
// thread_local_atomics   54 GB/s  each thread counts its share in bins of its own, then adds these by atomics
// thread_local_reduce    68 GB/s  the 32 threads of a warp add up their bins first, by a butterfly of shuffles
// shared_atomics        396 GB/s  one histogram a block, counted by atomics in shared memory
// replicated            365 GB/s  up to 32 copies of it: a lane has its own, and a bank of its own
#include "histogram.h"

#include <algorithm>

// Halves the range of edges that value lies between: log2(count) steps.
__device__ int Edges::operator()(float value) const {
    if (!(value >= d_edges[0] && value < d_edges[count])) return count;  // NaN too
    int low = 0, high = count;                                           // d_edges[low] <= value < d_edges[high]
    while (high - low > 1) {
        int middle = (low + high) / 2;
        (value < d_edges[middle] ? high : low) = middle;
    }
    return low;
}

// What all rungs begin with.
template <class Bins>
void clear(const Bins& bins, unsigned* d_counts) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
}

// ---- Rung 1, global_atomics ----
// Launch: a thread for each value.
constexpr int kBlock = 256;

template <class Bins>
__global__ void global_atomics_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&d_counts[bins(d_in[i])], 1);
}

template <class Bins>
void global_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    clear(bins, d_counts);
    if (n == 0) return;
    global_atomics_kernel<<<ceil_div(n, kBlock), kBlock>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Rung 2, thread_local_atomics: as 1, but a thread counts many values before it needs an atomic ----
// Launch: few threads, each with several values for each of its bins. Local memory: the thread's bins.
constexpr int kPrivateBlock = 128;
constexpr int kPrivate = kMostPrivateBins + 32;  // with the one for values outside, and a multiple of 32

// Counting has to outweigh the clearing and adding up of bins: a value a bin at least. And the bins of all threads of a
// multiprocessor, 1 KiB each, should stay in its L1 cache: 2 blocks.
template <class Bins>
int private_blocks(int n, const Bins& bins) {
    return std::clamp(n / (kPrivateBlock * 1 * bins.count), 1, 2 * multiprocessors());
}

// The thread's bins of its share.
template <class Bins>
__device__ void count_own(const typename Bins::type* d_in, int n, const Bins& bins, unsigned (&own)[kPrivate]) {
    for (int b = 0; b < kPrivate; ++b) own[b] = 0;
    for_each_value(d_in, n, [&](auto value) { ++own[bins(value)]; });
}

template <class Bins>
__global__ void thread_local_atomics_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    unsigned own[kPrivate];
    count_own(d_in, n, bins, own);
    for (int b = 0; b <= bins.count; ++b) {
        if (own[b] > 0) atomicAdd(&d_counts[b], own[b]);
    }
}

template <class Bins>
void thread_local_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    clear(bins, d_counts);
    thread_local_atomics_kernel<<<private_blocks(n, bins), kPrivateBlock>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Rung 3, thread_local_reduce: as 2, but the threads of a warp add up their bins first ----
// Launch: as 2.

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

template <class Bins>
__global__ void thread_local_reduce_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
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

template <class Bins>
void thread_local_reduce(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    clear(bins, d_counts);
    thread_local_reduce_kernel<<<private_blocks(n, bins), kPrivateBlock>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Rung 4, shared_atomics: one histogram for all threads of a block ----
// Launch: as many blocks as the GPU holds at once. Shared memory: the counters.
constexpr int kSharedBlock = 1024;

template <class Kernel>
int resident_blocks(Kernel* kernel, int n, std::size_t shared_bytes) {
    int each = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, kSharedBlock, shared_bytes));
    return std::clamp(ceil_div(n, kSharedBlock * 16), 1, each * multiprocessors());
}

template <class Bins>
__global__ void __launch_bounds__(kSharedBlock)
    shared_atomics_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    extern __shared__ unsigned s_counts[];
    for (int b = threadIdx.x; b <= bins.count; b += kSharedBlock) s_counts[b] = 0;
    __syncthreads();
    for_each_value(d_in, n, [&](auto value) { atomicAdd(&s_counts[bins(value)], 1); });
    __syncthreads();
    for (int b = threadIdx.x; b <= bins.count; b += kSharedBlock) {
        if (s_counts[b] > 0) atomicAdd(&d_counts[b], s_counts[b]);
    }
}

template <class Bins>
void shared_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    clear(bins, d_counts);
    std::size_t bytes = (bins.count + 1) * sizeof *d_counts;
    int blocks = resident_blocks(shared_atomics_kernel<Bins>, n, bytes);
    shared_atomics_kernel<<<blocks, kSharedBlock, bytes>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Rung 5, replicated: as 4, but with as many copies of the histogram as fit, up to one for each lane ----
// Launch: as 4. Shared memory: copies of a counter side by side, so that with 32 of them each lane has a bank of its
// own.
constexpr int kSharedWords = kMostBins + 32;

// A power of two.
inline int copies_of(int counters) {
    int copies = 32;
    while (copies * counters > kSharedWords) copies /= 2;
    return copies;
}

template <class Bins>
__global__ void __launch_bounds__(kSharedBlock)
    replicated_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, int copies) {
    extern __shared__ unsigned s_counts[];
    for (int i = threadIdx.x; i < (bins.count + 1) * copies; i += kSharedBlock) s_counts[i] = 0;
    __syncthreads();

    unsigned* s_own = s_counts + threadIdx.x % copies;
    for_each_value(d_in, n, [&](auto value) { atomicAdd(&s_own[bins(value) * copies], 1); });
    __syncthreads();

    for (int b = threadIdx.x; b <= bins.count; b += kSharedBlock) {
        unsigned sum = 0;
        // Each lane begins with another copy: in step k the lanes of a warp read 32 banks.
        for (int k = 0; k < copies; ++k) sum += s_counts[b * copies + (threadIdx.x + k) % copies];
        if (sum > 0) atomicAdd(&d_counts[b], sum);
    }
}

template <class Bins>
void replicated(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    clear(bins, d_counts);
    int copies = copies_of(bins.count + 1);
    std::size_t bytes = copies * (bins.count + 1) * sizeof *d_counts;
    int blocks = resident_blocks(replicated_kernel<Bins>, n, bytes);
    replicated_kernel<<<blocks, kSharedBlock, bytes>>>(d_in, n, bins, d_counts, copies);
    CUDA_CHECK(cudaGetLastError());
}

// ---- What is graded ----
template void global_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void global_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void global_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void global_atomics(const float*, int, Edges, unsigned*, Workspace&);
template void thread_local_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void thread_local_reduce(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_reduce(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void shared_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void shared_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const float*, int, Edges, unsigned*, Workspace&);
template void replicated(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void replicated(const int*, int, UniformInt, unsigned*, Workspace&);
template void replicated(const float*, int, UniformFloat, unsigned*, Workspace&);
template void replicated(const float*, int, Edges, unsigned*, Workspace&);
