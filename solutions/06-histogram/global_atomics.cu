// Task 1, global_atomics: every value adds 1 to its counter in global memory. The increment is an atomic, since many
// threads may have values of the same bin.
#include "edges.cuh"
#include "histogram.h"

constexpr int kBlock = 256;

// Launch: a thread for each value.
template <class T, class Bins>
__global__ void global_atomics_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&d_counts[bins(d_in[i])], 1);
}

template <class T, class Bins>
void global_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
    if (n == 0) return;
    global_atomics_kernel<<<ceil_div(n, kBlock), kBlock>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template void global_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void global_atomics(const int*, int, UniformInt, unsigned*, Workspace&);
template void global_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
template void global_atomics(const float*, int, Edges, unsigned*, Workspace&);
