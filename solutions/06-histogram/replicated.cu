// Task 5, replicated: as 4, but with as many copies of the histogram as fit into shared memory, at most one for each
// lane. Lanes that count the same bin then count in different words.
#include "edges.cuh"
#include "resident_blocks.cuh"

constexpr int kSharedWords = kMostBins + 32;  // 32.1 KiB, at most

// How many copies of the counters fit, at most one for each lane: a power of two.
int copies_of(int counters) {
    int copies = 32;
    while (copies * counters > kSharedWords) copies /= 2;
    return copies;
}

// Launch: as 4. Shared memory: the copies of a counter side by side, so that with 32 copies each lane has a bank of its
// own.
template <class T, class Bins>
__global__ void __launch_bounds__(kSharedBlock)
    replicated_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts, int copies) {
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
