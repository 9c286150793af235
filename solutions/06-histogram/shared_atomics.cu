// Task 4, shared_atomics: as 1, but the threads of a block count in shared memory, whose atomics are much faster, and
// the block adds its counters to those in global memory once. A block counts many values.
#include "edges.cuh"
#include "resident_blocks.cuh"

// Launch: as many blocks as the GPU holds at once. Shared memory: the counters.
template <class T, class Bins>
__global__ void __launch_bounds__(kSharedBlock)
    shared_atomics_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {
    extern __shared__ unsigned s_counts[];
    for (int b = threadIdx.x; b <= bins.count; b += kSharedBlock) s_counts[b] = 0;
    __syncthreads();
    for_each_value(d_in, n, [&](auto value) { atomicAdd(&s_counts[bins(value)], 1); });
    __syncthreads();
    for (int b = threadIdx.x; b <= bins.count; b += kSharedBlock) {
        if (s_counts[b] > 0) atomicAdd(&d_counts[b], s_counts[b]);
    }
}

template <class T, class Bins>
void shared_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
    std::size_t bytes = (bins.count + 1) * sizeof *d_counts;
    int blocks = resident_blocks(shared_atomics_kernel<T, Bins>, n, bytes);
    shared_atomics_kernel<<<blocks, kSharedBlock, bytes>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template void shared_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void shared_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void shared_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const float*, int, Edges, unsigned*, Workspace&);
