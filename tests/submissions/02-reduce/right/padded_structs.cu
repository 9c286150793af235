// Style: structs with padding, kept in shared memory and in the workspace, copied whole and by memcpy; a union.
#include <cstring>

#include "reduce.h"

struct Partial {
    unsigned char filled;  // seven bytes of padding follow
    long long sum;
    short count;  // and six more
};

union Slot {
    Partial partial;
    int words[6];
};

template <class T>
__device__ Partial partial_of(const T* from, int i, int n) {
    Partial p;
    p.filled = i < n;
    p.sum = i < n ? from[i] : 0;
    p.count = 1;
    return p;
}
template <>
__device__ Partial partial_of(const Partial* from, int i, int n) {
    Partial p{0, 0, 0};
    if (i < n) std::memcpy(&p, from + i, sizeof p);
    return p;
}

__device__ Partial join(Partial a, Partial b) {
    Partial p;
    p.filled = a.filled | b.filled;
    p.sum = a.sum + b.sum;
    p.count = static_cast<short>(a.count + b.count);
    return p;
}

template <class T>
__global__ void add(const T* from, Partial* to, long long* sum, int n) {
    __shared__ Slot s[256];
    int t = threadIdx.x;
    s[t].partial = partial_of(from, blockIdx.x * 256 + t, n);
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t].partial = join(s[t].partial, s[t + half].partial);
    }
    if (t != 0) return;
    to[blockIdx.x] = s[0].partial;
    if (gridDim.x == 1) *sum = s[0].partial.sum;
}

void sequential(const int* d_in, long long* d_sum, int n, Workspace& work) {
    int blocks = n == 0 ? 1 : ceil_div(n, 256);
    auto* d_from = work.get<Partial>(blocks);
    add<<<blocks, 256>>>(d_in, d_from, d_sum, n);
    CUDA_CHECK(cudaGetLastError());
    while (blocks > 1) {
        int next = ceil_div(blocks, 256);
        auto* d_to = work.get<Partial>(next);
        add<<<next, 256>>>(d_from, d_to, d_sum, blocks);
        CUDA_CHECK(cudaGetLastError());
        d_from = d_to;
        blocks = next;
    }
}
