// verdict: WA task=thread_local_atomics max_n=70000
// because: the counts add up to 12,687 of 29,071 values
// Counters of a byte, to save local memory: the 256th value of a bin makes it 0.
#include "histogram.h"

template <class Bins>
__global__ void thread_local_atomics_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    unsigned char own[kMostPrivateBins + 1];
    for (int b = 0; b <= bins.count; ++b) own[b] = 0;
    for_each_value(d_in, n, [&](auto value) { ++own[bins(value)]; });
    for (int b = 0; b <= bins.count; ++b) {
        if (own[b] > 0) atomicAdd(&d_counts[b], own[b]);
    }
}

template <class Bins>
void thread_local_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
    thread_local_atomics_kernel<<<1, 64>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template void thread_local_atomics(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_atomics(const float*, int, UniformFloat, unsigned*, Workspace&);
