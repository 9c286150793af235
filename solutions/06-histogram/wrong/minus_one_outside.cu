// verdict: RTE or CHECK task=global_atomics max_n=5000
// because: out of bounds
// The search gives -1 for a value below the first edge, and that is no counter.
#include "histogram.h"

// How many edges are <= value, less one.
__device__ int Edges::operator()(float value) const {
    int low = 0, high = count + 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (d_edges[middle] <= value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

template <class Bins>
__global__ void global_atomics_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&d_counts[bins(d_in[i])], 1);
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
