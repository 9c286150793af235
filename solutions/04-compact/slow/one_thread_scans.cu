// verdict: SLOW task=three_kernels
// because: on average 1.0 of 32 lanes are active
// The places are found by one thread, which adds up all the answers.
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

// Launch: one thread.
__global__ void add_up(const int* d_flags, int* d_places, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        d_places[i] = sum;
        sum += d_flags[i];
    }
    d_places[n] = sum;
}

template <class Keep>
void three_kernels(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
                   Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
    int* d_flags = work.get<int>(n);
    int* d_places = work.get<int>(n + 1);
    flag<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_flags, n, keep);
    CUDA_CHECK(cudaGetLastError());
    add_up<<<1, 1>>>(d_flags, d_places, n);
    CUDA_CHECK(cudaGetLastError());
    scatter<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_flags, d_places, d_out, d_count, n);
    CUDA_CHECK(cudaGetLastError());
}

template void three_kernels(const int*, int*, int*, int, IsPositive, Workspace&);
template void three_kernels(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void three_kernels(const float*, float*, int*, int, IsAbove, Workspace&);
