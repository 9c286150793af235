// Task 1, three_kernels: ask every element, scan the answers, move every kept element to its place. (To ask an element
// is to evaluate the predicate for it.)
// Global memory: 32 bytes for each int, and 4 more for each that is kept. Most of them are answers and places.
#include "compact.h"

constexpr int kBlock = 256;

// Launch: a thread for each element.
template <class T, class Keep>
__global__ void flag(const T* d_in, int* d_flags, int n, Keep keep) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_flags[i] = keep(d_in[i]) ? 1 : 0;
}

// Launch: as above. d_places[i] is the number of kept elements before element i, d_places[n] the number of all of them.
template <class T>
__global__ void scatter(const T* d_in, const int* d_flags, const int* d_places, T* d_out, int* d_count, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n && d_flags[i] == 1) d_out[d_places[i]] = d_in[i];
    if (i == 0) *d_count = d_places[n];
}

template <class T, class Keep>
void three_kernels(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
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
