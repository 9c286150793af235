// Style: cuda::atomic_ref in global memory, atomicInc, block-scoped atomics, red by inline PTX, a search without
// branches.
#include <cuda/atomic>

#include "histogram.h"

template <class T>
__device__ int find_bin(const T* d_edges, int count, T value) {
    if (!(d_edges[0] <= value) || !(value < d_edges[count])) return count;
    const T* base = d_edges;
    for (int length = count; length > 1;) {
        int half = length >> 1;
        base += !(value < base[half]) ? half : 0;
        length -= half;
    }
    return static_cast<int>(base - d_edges);
}

template <class T, class Bins>
__global__ void count_each(const T* in, int n, Bins bins, unsigned* counts) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter(counts[bins(in[i])]);
        counter.fetch_add(1, cuda::memory_order_relaxed);
    }
}

template <class T, class Bins>
void global_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemset(d_counts, 0, (bins.count + 1) * sizeof(unsigned)));
    if (n == 0) return;
    count_each<<<ceil_div(n, 128), 128>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

__device__ void add(unsigned* counter, unsigned amount) {
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counter), "r"(amount) : "memory");
}

template <class T, class Bins>
__global__ void __launch_bounds__(512) count_in_block(const T* in, int n, Bins bins, unsigned* counts) {
    extern __shared__ unsigned own[];
    for (int b = threadIdx.x; b <= bins.count; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for_each_value(in, n, [&](T value) { atomicAdd_block(own + bins(value), 1u); });
    __syncthreads();
    for (int b = threadIdx.x; b <= bins.count; b += blockDim.x) {
        if (unsigned amount = own[b]) add(counts + b, amount);
    }
}

template <class T, class Bins>
void shared_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    std::size_t bytes = (bins.count + 1) * sizeof(unsigned);
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, bytes));
    count_in_block<<<2 * multiprocessors(), 512, bytes>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template __device__ int find_bin(const float*, int, float);
template void global_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void global_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void global_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void global_atomics(const float*, int, Edges, unsigned*, Workspace&);
template void shared_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void shared_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void shared_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const float*, int, Edges, unsigned*, Workspace&);
