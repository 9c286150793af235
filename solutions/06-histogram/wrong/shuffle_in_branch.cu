// verdict: WA or CHECK task=thread_local_reduce max_n=5000
// because: the counts add up to 0 of 31 values
// Lanes without a value in the bin skip the shuffle that the others wait for.
#include "histogram.h"

template <class Bins>
__global__ void thread_local_reduce_kernel(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts) {
    unsigned own[kMostPrivateBins + 1];
    for (int b = 0; b <= bins.count; ++b) own[b] = 0;
    for_each_value(d_in, n, [&](auto value) { ++own[bins(value)]; });
    for (int b = 0; b <= bins.count; ++b) {
        unsigned sum = own[b];
        if (sum == 0) continue;
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (threadIdx.x % 32 == 0) atomicAdd(&d_counts[b], sum);
    }
}

template <class Bins>
void thread_local_reduce(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, (bins.count + 1) * sizeof *d_counts));
    thread_local_reduce_kernel<<<16, 128>>>(d_in, n, bins, d_counts);
    CUDA_CHECK(cudaGetLastError());
}

template void thread_local_reduce(const unsigned char*, int, Levels, unsigned*, Workspace&);
template void thread_local_reduce(const float*, int, UniformFloat, unsigned*, Workspace&);
