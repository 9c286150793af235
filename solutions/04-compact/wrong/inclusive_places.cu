// verdict: RTE task=three_kernels max_n=5000
// because: wrote d_out at index 1, just past its end
// The place counts the element itself: everything lands one too far, and the first place stays empty.
#include "compact.h"

constexpr int kBlock = 256;

// Launch: a thread for each element.
template <class Keep>
__global__ void flag(const typename Keep::type* d_in, int* d_flags, int n, Keep keep) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) d_flags[i] = keep(d_in[i]) ? 1 : 0;
}

// Launch: as above. d_places[i]: how many up to element i are kept.
template <class T>
__global__ void scatter(const T* d_in, const int* d_flags, const int* d_places, T* d_out, int* d_count, int n) {
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n && d_flags[i] == 1) d_out[d_places[i]] = d_in[i];
    if (i == n - 1) *d_count = d_places[i];
}

template <class Keep>
void three_kernels(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
                   Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
        return;
    }
    int* d_flags = work.get<int>(n);
    int* d_places = work.get<int>(n);
    flag<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_flags, n, keep);
    CUDA_CHECK(cudaGetLastError());
    primitives::inclusive_sum(d_flags, d_places, n, work);
    scatter<<<ceil_div(n, kBlock), kBlock>>>(d_in, d_flags, d_places, d_out, d_count, n);
    CUDA_CHECK(cudaGetLastError());
}

template void three_kernels(const int*, int*, int*, int, IsPositive, Workspace&);
template void three_kernels(const unsigned char*, unsigned char*, int*, int, IsDiamond, Workspace&);
template void three_kernels(const float*, float*, int*, int, IsAbove, Workspace&);
