// verdict: RTE task=replicated max_n=5000
// because: invalid argument
// 32 copies, however many bins: 8192 of them would take a megabyte.
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
__global__ void replicated_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, int copies) {
    extern __shared__ unsigned s_counts[];
    for (int i = threadIdx.x; i < (bins.count + 1) * copies; i += blockDim.x) s_counts[i] = 0;
    __syncthreads();
    unsigned* s_own = s_counts + threadIdx.x % copies;
    for_each_value(d_in, n, [&](auto value) { atomicAdd(&s_own[bins(value) * copies], 1); });
    __syncthreads();
    for (int b = threadIdx.x; b <= bins.count; b += blockDim.x) {
        unsigned sum = 0;
        for (int k = 0; k < copies; ++k) sum += s_counts[b * copies + k];
        if (sum > 0) atomicAdd(&d_counts[b], sum);
    }
}

template <class Bins>
void replicated(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
    int copies = 32;
    std::size_t bytes = copies * (bins.count + 1) * sizeof *d_counts;
    replicated_kernel<<<8, 1024, bytes>>>(d_in, n, bins, d_counts, copies);
    CUDA_CHECK(cudaGetLastError());
}

template void replicated(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void replicated(const int*, int, UniformInt, unsigned*, Workspace&);
template void replicated(const float*, int, UniformFloat, unsigned*, Workspace&);
template void replicated(const float*, int, Edges, unsigned*, Workspace&);
