// Task 2, thread_local_atomics: as 1, but a thread counts many values in bins of its own before it needs an atomic.
#include "private_bins.cuh"

// Launch: few threads, each with at least one value for each of its bins. Local memory: the thread's bins.
template <class T, class Bins>
__global__ void thread_local_atomics_kernel(const T* d_in, int n, Bins bins, unsigned* d_counts) {
    unsigned own[kPrivate];
    count_own(d_in, n, bins, own);
    for (int b = 0; b <= bins.count; ++b) {
        if (own[b] > 0) atomicAdd(&d_counts[b], own[b]);
    }
}

template <class T, class Bins>
void thread_local_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
    thread_local_atomics_kernel<<<private_blocks(n, bins), kPrivateBlock>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template void thread_local_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
