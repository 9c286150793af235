// Task 6, layouts: n structures are a matrix of n rows and few columns, for which a square tile would be nearly empty.
// A block takes kBlock whole structures instead: all of their words are neighbours, and so are those of each array.
#include "transpose.h"

constexpr int kBlock = 256;

// Where word `w` of the block's structure `i` lies in shared memory. The distance of two structures is odd, so that 32
// lanes that ask for the same word of 32 structures need 32 different banks.
template <int kWords>
__device__ int place(int i, int w) {
    return i * (kWords | 1) + w;
}

// Launch: a block of kBlock threads for every kBlock structures. Shared memory: their words, padded.
template <int kWords>
__global__ void to_arrays_kernel(const unsigned* d_structures, unsigned* d_arrays, int n) {
    __shared__ unsigned s_words[kBlock * (kWords | 1)];
    int first = blockIdx.x * kBlock, count = min(kBlock, n - first), t = threadIdx.x;
    for (int k = t; k < count * kWords; k += kBlock)
        s_words[place<kWords>(k / kWords, k % kWords)] = d_structures[first * kWords + k];
    __syncthreads();
    if (t >= count) return;
    for (int w = 0; w < kWords; ++w) d_arrays[w * n + first + t] = s_words[place<kWords>(t, w)];
}

// Launch and shared memory: as above.
template <int kWords>
__global__ void to_structures_kernel(const unsigned* d_arrays, unsigned* d_structures, int n) {
    __shared__ unsigned s_words[kBlock * (kWords | 1)];
    int first = blockIdx.x * kBlock, count = min(kBlock, n - first), t = threadIdx.x;
    if (t < count)
        for (int w = 0; w < kWords; ++w) s_words[place<kWords>(t, w)] = d_arrays[w * n + first + t];
    __syncthreads();
    for (int k = t; k < count * kWords; k += kBlock)
        d_structures[first * kWords + k] = s_words[place<kWords>(k / kWords, k % kWords)];
}

template <int kWords>
void layouts(const unsigned* d_in, unsigned* d_out, int n, bool to_arrays) {
    if (n == 0) return;
    if (to_arrays)
        to_arrays_kernel<kWords><<<ceil_div(n, kBlock), kBlock>>>(d_in, d_out, n);
    else
        to_structures_kernel<kWords><<<ceil_div(n, kBlock), kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void layouts<3>(const unsigned*, unsigned*, int, bool);
template void layouts<5>(const unsigned*, unsigned*, int, bool);
template void layouts<12>(const unsigned*, unsigned*, int, bool);
