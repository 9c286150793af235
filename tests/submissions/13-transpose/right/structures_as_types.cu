// Style: the words as a struct; each thread reads or writes its whole structure, and caches do the rest
#include "transpose.h"

template <int N>
struct Words {
    unsigned w[N];
};

template <int N>
__global__ void apart(const Words<N>* in, unsigned* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Words<N> mine = in[i];
#pragma unroll
    for (int k = 0; k < N; ++k) out[k * n + i] = mine.w[k];
}

template <int N>
__global__ void together(const unsigned* in, Words<N>* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Words<N> mine;
#pragma unroll
    for (int k = 0; k < N; ++k) mine.w[k] = in[k * n + i];
    out[i] = mine;
}

template <int kWords>
void to_arrays(const unsigned* d_structures, unsigned* d_arrays, int n) {
    if (n > 0) apart<<<(n + 127) / 128, 128>>>(reinterpret_cast<const Words<kWords>*>(d_structures), d_arrays, n);
    CUDA_CHECK(cudaGetLastError());
}

template <int kWords>
void to_structures(const unsigned* d_arrays, unsigned* d_structures, int n) {
    if (n > 0) together<<<(n + 127) / 128, 128>>>(d_arrays, reinterpret_cast<Words<kWords>*>(d_structures), n);
    CUDA_CHECK(cudaGetLastError());
}

template void to_arrays<3>(const unsigned*, unsigned*, int);
template void to_arrays<5>(const unsigned*, unsigned*, int);
template void to_arrays<12>(const unsigned*, unsigned*, int);
template void to_structures<3>(const unsigned*, unsigned*, int);
template void to_structures<5>(const unsigned*, unsigned*, int);
template void to_structures<12>(const unsigned*, unsigned*, int);
