// verdict: WA task=shared_atomics max_n=5000
// because: race in global memory
// Each block stores its counts where it should add them: the last one wins.
#include "histogram.h"

__device__ int Edges::operator()(float value) const {
    if (!(value >= d_edges[0] && value < d_edges[count])) return count;
    int low = 0, high = count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        (value < d_edges[middle] ? high : low) = middle;
    }
    return low;
}

template <class Bins>
__global__ void shared_atomics_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    extern __shared__ unsigned s_counts[];
    for (int b = threadIdx.x; b <= bins.count; b += blockDim.x) s_counts[b] = 0;
    __syncthreads();
    for_each_value(d_in, n, [&](auto value) { atomicAdd(&s_counts[bins(value)], 1); });
    __syncthreads();
    for (int b = threadIdx.x; b <= bins.count; b += blockDim.x) {
        d_counts[b] = s_counts[b];
    }
}

template <class Bins>
void shared_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
    std::size_t bytes = (bins.count + 1) * sizeof *d_counts;
    shared_atomics_kernel<<<8, 256, bytes>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template void shared_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void shared_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void shared_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void shared_atomics(const float*, int, Edges, unsigned*, Workspace&);
