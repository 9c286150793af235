// verdict: SLOW task=load_balanced
// because: on average 4.6 of 32 lanes are active
// Each element's thread writes all of its outputs: one with thousands holds up its warp, and lanes write far apart.
#include "allocate.h"

constexpr int kBlock = 256;

// Launch: a thread for each element.
template <class Make>
__global__ void make_outputs(const int* d_values, const int* d_offsets, int* d_out, int n, Make make) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i >= n) return;
    int begin = d_offsets[i], end = d_offsets[i + 1];
    for (int j = begin; j < end; ++j) d_out[j] = make(d_values[i], j - begin);
}

template <class Make>
void load_balanced(const int* d_values, const int* d_counts, int* d_out, int n, int total, Make make, Workspace& work) {
    if (total == 0) return;
    int* d_offsets = work.get<int>(n + 1);
    primitives::exclusive_sum(d_counts, d_offsets, n, work);
    make_outputs<<<ceil_div(n, kBlock), kBlock>>>(d_values, d_offsets, d_out, n, make);
    CUDA_CHECK(cudaGetLastError());
}

template void load_balanced(const int*, const int*, int*, int, int, Repeat, Workspace&);
template void load_balanced(const int*, const int*, int*, int, int, CountUp, Workspace&);
