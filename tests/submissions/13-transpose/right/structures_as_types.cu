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
void layouts(const unsigned* d_in, unsigned* d_out, int n, bool to_arrays) {
    const int blocks = (n + 127) / 128;
    if (n > 0 && to_arrays) apart<<<blocks, 128>>>(reinterpret_cast<const Words<kWords>*>(d_in), d_out, n);
    if (n > 0 && !to_arrays) together<<<blocks, 128>>>(d_in, reinterpret_cast<Words<kWords>*>(d_out), n);
    CUDA_CHECK(cudaGetLastError());
}

template void layouts<3>(const unsigned*, unsigned*, int, bool);
template void layouts<5>(const unsigned*, unsigned*, int, bool);
template void layouts<12>(const unsigned*, unsigned*, int, bool);
