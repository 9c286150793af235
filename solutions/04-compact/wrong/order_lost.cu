// verdict: WA task=fused max_n=5000
// because: right on one run and wrong on the next
// One counter for all: a place of its own for every element, in whatever order the threads come.
#include "compact.h"

constexpr int kBlock = 256;

template <class Keep>
__global__ void take_places(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n,
                            Keep keep) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n && keep(d_in[i])) d_out[atomicAdd(d_count, 1)] = d_in[i];
}

template <class Keep>
void fused(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep, Workspace&) {
    CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
    if (n == 0) return;
    take_places<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_out, d_count, n, keep);
    CUDA_CHECK(cudaGetLastError());
}

template void fused(const int*, int*, int*, int, IsPositive, Workspace&);
template void fused(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void fused(const float*, float*, int*, int, IsAbove, Workspace&);
