// Style: the serial merge of a well-known library of 2013: both heads are always in registers, and the next one is read
// before anybody knows whether there is one; shared memory has a place more for it. Traits, macros, #pragma unroll.
#include "merge.h"

#define NT 128
#define VT 7
#define NV (NT * VT)
#define DEVICE static __device__ __forceinline__

template <class Order, class T>
DEVICE int merge_path_search(const T* a, int a_count, const T* b, int b_count, int diag) {
    int begin = max(0, diag - b_count), end = min(diag, a_count);
    while (begin < end) {
        int mid = (begin + end) >> 1;
        if (!Order().before(b[diag - 1 - mid], a[mid]))
            begin = mid + 1;
        else
            end = mid;
    }
    return begin;
}

template <class Order, class T>
DEVICE void serial_merge(const T* keys, int a_begin, int a_end, int b_begin, int b_end, T* results) {
    T a_key = keys[a_begin], b_key = keys[b_begin];
#pragma unroll
    for (int i = 0; i < VT; ++i) {
        bool p = b_begin >= b_end || (a_begin < a_end && !Order().before(b_key, a_key));
        results[i] = p ? a_key : b_key;
        if (p)
            a_key = keys[++a_begin];
        else
            b_key = keys[++b_begin];
    }
}

template <class Order, class T>
__global__ void partition(const T* a, int na, const T* b, int nb, int* cuts, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) cuts[i] = merge_path_search<Order>(a, na, b, nb, min(i * NV, na + nb));
}

template <class Order, class T>
__global__ void __launch_bounds__(NT) merge_block(const T* a, const T* b, T* out, const int* cuts, int n) {
    __shared__ T keys[NV + VT + 1];
    int tid = threadIdx.x, gid = blockIdx.x * NV, count = min(NV, n - gid);
    int a0 = cuts[blockIdx.x], a1 = cuts[blockIdx.x + 1], b0 = gid - a0, a_count = a1 - a0, b_count = count - a_count;
#pragma unroll
    for (int i = 0; i < VT; ++i) {
        int index = NT * i + tid;
        if (index < count) keys[index] = index < a_count ? a[a0 + index] : b[b0 + index - a_count];
    }
    __syncthreads();
    int diag = min(VT * tid, count), mp = merge_path_search<Order>(keys, a_count, keys + a_count, b_count, diag);
    T results[VT];
    serial_merge<Order>(keys, mp, a_count, a_count + diag - mp, count, results);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < VT; ++i)
        if (diag + i < count) keys[VT * tid + i] = results[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < VT; ++i) {
        int index = NT * i + tid;
        if (index < count) out[gid + index] = keys[index];
    }
}

template <class Order, class T>
void merge_path(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work) {
    int n = na + nb, blocks = ceil_div(n, NV);
    if (n == 0) return;
    int* d_cuts = work.get<int>(blocks + 1);
    partition<Order><<<ceil_div(blocks + 1, 64), 64>>>(d_a, na, d_b, nb, d_cuts, blocks + 1);
    CUDA_CHECK(cudaGetLastError());
    merge_block<Order><<<blocks, NT>>>(d_a, d_b, d_out, d_cuts, n);
    CUDA_CHECK(cudaGetLastError());
}

template void merge_path<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void merge_path<Ascending<long long>>(const long long*, int, const long long*, int, long long*, Workspace&);
template void merge_path<Ascending<float>>(const float*, int, const float*, int, float*, Workspace&);
template void merge_path<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
