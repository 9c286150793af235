// verdict: WA task=global_atomics max_n=5000
// because: race in global memory
// ++ reads, adds and writes: what another thread has added in between is lost.
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
__global__ void global_atomics_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ++d_counts[bins(d_in[i])];
}

template <class Bins>
void global_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
    if (n == 0) return;
    global_atomics_kernel<<<ceil_div(n, 256), 256>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template void global_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void global_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void global_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void global_atomics(const float*, int, Edges, unsigned*, Workspace&);
