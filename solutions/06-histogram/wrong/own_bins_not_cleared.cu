// verdict: WA task=thread_local_atomics max_n=5000
// because: every wrong value is off by the same amount
// Takes a fresh array for an array of zeros.
#include "histogram.h"

template <class Bins>
__global__ void thread_local_atomics_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    unsigned own[kMostPrivateBins + 1];
    for_each_value(d_in, n, [&](auto value) { ++own[bins(value)]; });
    for (int b = 0; b <= bins.count; ++b) {
        if (own[b] > 0) atomicAdd(&d_counts[b], own[b]);
    }
}

template <class Bins>
void thread_local_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
    thread_local_atomics_kernel<<<16, 128>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template void thread_local_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
