#include "divergence_functions.h"

#define KERNEL(name)                                                      \
    extern "C" __global__ void k_##name(const int* in, int* out, int n) { \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;              \
        if (i >= n) return;                                               \
        out[i] = name(in[i]);                                             \
    }
KERNEL(nested)
KERNEL(loops)
KERNEL(choices)
KERNEL(jumps)
KERNEL(structs)
KERNEL(local_array)

extern "C" __global__ void k_power(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = power(in[i] % 5, in[i] % 13);
}

__device__ int twice(int x) { return 2 * x; }
__device__ int negate(int x) { return -x; }
__device__ int plus_one(int x) { return x % 3 == 0 ? x + 1 : x + 2; }
__device__ int (*table[])(int) = {twice, negate, plus_one};

extern "C" __global__ void k_pointers(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[in[i] % 3](in[i]);
}
