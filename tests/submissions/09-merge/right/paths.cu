// Style: cooperative groups and memcpy_async into dynamic shared memory, cuda::std::array; equal paths cut by one
// thread.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cuda/std/array>
#include <utility>

#include "merge.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 128, kEach = 9, kTile = kThreads * kEach;

template <class Order, class T>
__device__ int from_a(const T* a, int na, const T* b, int nb, int taken) {
    int low = taken > nb ? taken - nb : 0, high = taken < na ? taken : na;
    while (low < high) {
        int i = (low + high) / 2;
        if (Order().before(b[taken - i - 1], a[i]))
            high = i;
        else
            low = i + 1;
    }
    return low;
}

// Merges the part of two sorted arrays that belongs to places first ... first + kTile - 1 of the result.
template <class Order, class T>
__device__ void merge_tile(const T* a, int na, const T* b, int nb, T* out, int first) {
    extern __shared__ __align__(16) unsigned char raw[];
    __shared__ int s_cut[2];
    T* s = reinterpret_cast<T*>(raw);
    auto block = cg::this_thread_block();
    int count = min(kTile, na + nb - first);
    if (block.thread_rank() < 2)
        s_cut[block.thread_rank()] = from_a<Order>(a, na, b, nb, first + block.thread_rank() * count);
    block.sync();
    int cut = s_cut[0], of_a = s_cut[1] - cut, of_b = count - of_a;
    cg::memcpy_async(block, s, a + cut, of_a * sizeof(T));
    cg::memcpy_async(block, s + of_a, b + first - cut, of_b * sizeof(T));
    cg::wait(block);
    int taken = min(static_cast<int>(block.thread_rank()) * kEach, count);
    int i = from_a<Order>(s, of_a, s + of_a, of_b, taken), j = of_a + taken - i;
    cuda::std::array<T, kEach> item;
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        if (taken + k >= count) break;
        bool left = j >= count || (i < of_a && !Order().before(s[j], s[i]));
        item[k] = left ? s[i++] : s[j++];
    }
    block.sync();
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        if (taken + k < count) s[taken + k] = item[k];
    }
    block.sync();
    for (int k = block.thread_rank(); k < count; k += block.size()) out[first + k] = s[k];
    block.sync();
}

template <class Order, class T>
__global__ void __launch_bounds__(kThreads) merge_two(const T* a, int na, const T* b, int nb, T* out) {
    merge_tile<Order>(a, na, b, nb, out, blockIdx.x * kTile);
}

template <class Order, class T>
void merge_path(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace&) {
    if (na + nb == 0) return;
    merge_two<Order><<<ceil_div(na + nb, kTile), kThreads, kTile * sizeof(T)>>>(d_a, na, d_b, nb, d_out);
    CUDA_CHECK(cudaGetLastError());
}

// Each thread sorts its elements by insertion, then the runs of the tile are merged, 8, 16, 32, ...
template <class Order, class T>
__global__ void __launch_bounds__(kThreads) sort_tiles(const T* in, T* out, int n) {
    __shared__ T s_both[2][kTile];
    T *from = s_both[0], *to = s_both[1];
    int t = threadIdx.x, first = blockIdx.x * kTile, count = min(kTile, n - first);
    for (int k = t; k < kTile; k += kThreads) from[k] = k < count ? in[first + k] : Order::last();
    __syncthreads();
    T* own = from + t * kEach;
    for (int k = 1; k < kEach; ++k) {
        T x = own[k];
        int at = k;
        for (; at > 0 && Order().before(x, own[at - 1]); --at) own[at] = own[at - 1];
        own[at] = x;
    }
    for (int run = kEach; run < kTile; run *= 2) {
        __syncthreads();
        int pair = t * kEach / (2 * run) * (2 * run), taken = t * kEach - pair;
        const T* a = from + pair;
        int i = from_a<Order>(a, run, a + run, run, taken), j = taken - i;
        for (int k = 0; k < kEach; ++k) {
            bool left = j >= run || (i < run && !Order().before(a[run + j], a[i]));
            to[t * kEach + k] = left ? a[i++] : a[run + j++];
        }
        T* swap = from;
        from = to;
        to = swap;
    }
    __syncthreads();
    for (int k = t; k < count; k += kThreads) out[first + k] = from[k];
}

template <class Order, class T>
__global__ void __launch_bounds__(kThreads) merge_runs(const T* in, T* out, int n, int run) {
    int tiles_of_pair = 2 * (run / kTile), pair = blockIdx.x / tiles_of_pair;
    int begin = pair * tiles_of_pair * kTile, middle = min(begin + run, n), end = min(middle + run, n);
    merge_tile<Order>(in + begin, middle - begin, in + middle, end - middle, out + begin,
                      (blockIdx.x % tiles_of_pair) * kTile);
}

template <class Order, class T>
void merge_sort(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    T *d_from = work.get<T>(n), *d_to = d_out;
    int tiles = ceil_div(n, kTile);
    sort_tiles<Order><<<tiles, kThreads>>>(d_in, d_from, n);
    CUDA_CHECK(cudaGetLastError());
    for (int run = kTile; run < n; run *= 2) {
        merge_runs<Order><<<tiles, kThreads, kTile * sizeof(T)>>>(d_from, d_to, n, run);
        CUDA_CHECK(cudaGetLastError());
        std::swap(d_from, d_to);
    }
    if (d_from != d_out) CUDA_CHECK(cudaMemcpyAsync(d_out, d_from, n * sizeof(T), cudaMemcpyDeviceToDevice));
}

template void merge_path<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void merge_path<Ascending<long long>>(const long long*, int, const long long*, int, long long*, Workspace&);
template void merge_path<Ascending<float>>(const float*, int, const float*, int, float*, Workspace&);
template void merge_path<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
template void merge_sort<Ascending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Descending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Ascending<float>>(const float*, float*, int, Workspace&);
template void merge_sort<ByKey>(const Pair*, Pair*, int, Workspace&);
