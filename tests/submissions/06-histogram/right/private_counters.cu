// Style: a thread's own bins in a local array, added by cooperative groups; tables of counters from cudaMallocAsync,
// one for each block; atomicInc; a search by powers of two.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "histogram.h"

namespace cg = cooperative_groups;

constexpr int kOwn = kMostPrivateBins + 1;

template <class T, class Bins>
__global__ void count_alone(const T* in, int n, Bins bins, unsigned* counts) {
    unsigned own[kOwn];
#pragma unroll 1
    for (unsigned& counter : own) counter = 0;
    int rank = blockIdx.x * blockDim.x + threadIdx.x;
    for_each_value(in, n, [&](T value) { own[bins(value)]++; });
    for (int k = 0; k <= bins.count; ++k) {
        int b = (k + rank) % (bins.count + 1);  // every thread begins elsewhere
        if (own[b]) atomicAdd(counts + b, own[b]);
    }
}

template <class T, class Bins>
void thread_local_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof(unsigned)));
    int threads = n / (2 * (bins.count + 1));
    int blocks = threads / 64 < 1 ? 1 : threads / 64 > 4 * multiprocessors() ? 4 * multiprocessors() : threads / 64;
    count_alone<<<blocks, 64>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template <class T, class Bins>
__global__ void count_and_reduce(const T* in, int n, Bins bins, unsigned* counts) {
    unsigned own[kOwn] = {};
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    for_each_value(in, n, [&](T value) { ++own[bins(value)]; });
    for (int b = 0; b <= bins.count; ++b) {
        unsigned sum = cg::reduce(warp, own[b], cg::plus<unsigned>());
        if (warp.thread_rank() == b % 32 && sum > 0) atomicAdd(&counts[b], sum);
    }
}

template <class T, class Bins>
void thread_local_reduce(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof(unsigned)));
    int blocks = n / (128 * bins.count);
    blocks = blocks < 1 ? 1 : blocks > 2 * multiprocessors() ? 2 * multiprocessors() : blocks;
    count_and_reduce<<<blocks, 128>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

// A block's table in global memory, allocated in stream order, then a kernel that adds up the tables.
template <class T, class Bins>
__global__ void count_in_table(const T* in, int n, Bins bins, unsigned* tables) {
    extern __shared__ unsigned s[];
    for (int b = threadIdx.x; b <= bins.count; b += blockDim.x) s[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicInc(&s[bins(in[i])], ~0u);
    __syncthreads();
    for (int b = threadIdx.x; b <= bins.count; b += blockDim.x) tables[b * gridDim.x + blockIdx.x] = s[b];
}

__global__ void add_tables(const unsigned* tables, unsigned* counts, int each, int count) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= count) return;
    unsigned sum = 0;
    for (int k = 0; k < each; ++k) sum += tables[b * each + k];
    counts[b] = sum;
}

template <class T>
__device__ int find_bin(const T* d_edges, int count, T value) {
    int bin = -1;
    for (int step = 1 << 13; step > 0; step >>= 1) {
        if (bin + step <= count && d_edges[bin + step] <= value) bin += step;
    }
    return bin >= 0 && bin < count ? bin : count;
}

template <class T, class Bins>
void shared_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    int counters = bins.count + 1, blocks = multiprocessors();
    unsigned* d_tables = nullptr;
    CUDA_CHECK(cudaMallocAsync(&d_tables, sizeof(unsigned) * counters * blocks, nullptr));
    count_in_table<<<blocks, 1024, counters * sizeof(unsigned)>>>(d_in, n, bins, d_tables);
    CUDA_CHECK(cudaGetLastError());
    add_tables<<<ceil_div(counters, 64), 64>>>(d_tables, d_counts, blocks, counters);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaFreeAsync(d_tables, nullptr));
}

template __device__ int find_bin(const float*, int, float);
template void thread_local_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void thread_local_reduce(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_reduce(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void shared_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void shared_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const float*, int, Edges, unsigned*, Workspace&);
