// verdict: WA task=three_kernels max_n=5000
// because: an empty input has a result too: for n = 0 it has to be 0, and nobody wrote it
// Returns for n = 0 and leaves the count as it was.
#include "compact.h"

constexpr int kBlock = 256;

// Launch: a thread for each element.
template <class Keep>
__global__ void flag(const typename Keep::type* d_in, int* d_flags, int n, Keep keep) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_flags[i] = keep(d_in[i]) ? 1 : 0;
}

// Launch: as above. d_places[i]: how many before element i are kept; d_places[n]: how many of all.
template <class T>
__global__ void scatter(const T* d_in, const int* d_flags, const int* d_places, T* d_out, int* d_count, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n && d_flags[i] == 1) d_out[d_places[i]] = d_in[i];
    if (i == 0) *d_count = d_places[n];
}

template <class Keep>
void three_kernels(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
                   Workspace& work) {
    if (n == 0) return;
    int* d_flags = work.get<int>(n);
    int* d_places = work.get<int>(n + 1);
    flag<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_flags, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_flags, d_places, n, work);
    scatter<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_flags, d_places, d_out, d_count, n);
    CUDA_CHECK(cudaGetLastError());
}

template void three_kernels(const int*, int*, int*, int, IsPositive, Workspace&);
template void three_kernels(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void three_kernels(const float*, float*, int*, int, IsAbove, Workspace&);
