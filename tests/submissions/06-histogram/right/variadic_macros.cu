// Style: the solution with its atomics behind variadic macros and conditional compilation.
#include <algorithm>

#include "histogram.h"

#ifndef NDEBUG
#define ADD(...) atomicAdd(__VA_ARGS__)
#else
#define ADD(...) (atomicAdd)(__VA_ARGS__)
#endif
template <class T>
__device__ int find_bin(const T* d_edges, int count, T value) {
    if (!(value >= d_edges[0] && value < d_edges[count])) return count;  // NaN too
    int low = 0, high = count;                                           // d_edges[low] <= value < d_edges[high]
    while (high - low > 1) {
        int middle = (low + high) / 2;
        (value < d_edges[middle] ? high : low) = middle;
    }
    return low;
}

constexpr int kSharedBlock = 1024;

template <class Kernel>
int resident_blocks(Kernel* kernel, int n, std::size_t shared_bytes) {
    int each = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, kSharedBlock, shared_bytes));
    return std::clamp(ceil_div(n, kSharedBlock * 16), 1, each * multiprocessors());
}

constexpr int kSharedWords = kMostBins + 32;  // 32.1 KiB, at most

int copies_of(int counters) {
    int copies = 32;
    while (copies * counters > kSharedWords) copies /= 2;
    return copies;
}

template <class T, class Bins>
__global__ void __launch_bounds__(kSharedBlock)
    replicated_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts, int copies) {
    extern __shared__ unsigned s_counts[];
    for (int i = threadIdx.x; i < (bins.count + 1) * copies; i += kSharedBlock) s_counts[i] = 0;
    __syncthreads();

    unsigned* s_own = s_counts + threadIdx.x % copies;
    for_each_value(d_in, n, [&](auto value) { ADD(&s_own[bins(value) * copies], 1); });
    __syncthreads();

    for (int b = threadIdx.x; b <= bins.count; b += kSharedBlock) {
        unsigned sum = 0;
        for (int k = 0; k < copies; ++k) sum += s_counts[b * copies + (threadIdx.x + k) % copies];
        if (sum > 0) ADD(&d_counts[b], sum);
    }
}

template <class T, class Bins>
void replicated(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
    int copies = copies_of(bins.count + 1);
    std::size_t bytes = copies * (bins.count + 1) * sizeof *d_counts;
    int blocks = resident_blocks(replicated_kernel<T, Bins>, n, bytes);
    replicated_kernel<<<blocks, kSharedBlock, bytes>>>(d_in, n, bins, d_counts, copies);
    CUDA_CHECK(cudaGetLastError());
}

template void replicated(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void replicated(const int*, int, UniformInt, unsigned*, Workspace&);
template void replicated(const float*, int, UniformFloat, unsigned*, Workspace&);
template void replicated(const float*, int, Edges, unsigned*, Workspace&);
