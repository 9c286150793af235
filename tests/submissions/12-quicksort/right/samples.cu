// Style: all counts stay on the device; helper namespace; templates over bool; counters that become places; a block
// sorts a bucket however long it is, by merges between two arrays.
#include "quicksort.h"

namespace samples {

constexpr int kThreads = 256, kRun = 2048, kWays = 256;

template <class T>
__device__ void sort_shared(T* s, int count) {
    for (int size = 2; size < 2 * count; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            for (int pair = threadIdx.x; 2 * pair < count + size; pair += kThreads) {
                int low = 2 * pair - (pair & (distance - 1));
                int high = 2 * distance == size ? low ^ (size - 1) : low + distance;
                if (high >= count || !(s[high] < s[low])) continue;
                T key = s[low];
                s[low] = s[high];
                s[high] = key;
            }
        }
    }
    __syncthreads();
}

__device__ unsigned mix(unsigned x) {
    x ^= x >> 16;
    x *= 0x45d9f3bu;
    x ^= x >> 15;
    return x * 0x2c1b3c6du;
}

template <class T>
__global__ void choose(const T* in, T* splitters, int n) {
    __shared__ T s[4 * kWays];
    for (int k = threadIdx.x; k < 4 * kWays; k += kThreads) s[k] = in[__umulhi(mix(k + 1), n)];
    sort_shared(s, 4 * kWays);
    for (int k = threadIdx.x; k < kWays - 1; k += kThreads) splitters[k] = s[4 * k + 3];
}

// 2 j: between splitters j - 1 and j; 2 j + 1: equal to splitter j, and nothing is left to be done.
template <class T>
__device__ int bucket_of(T key, const T* splitters) {
    int low = 0, high = kWays - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (splitters[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return 2 * low + (low < kWays - 1 && !(key < splitters[low]) ? 1 : 0);
}

template <class T, bool move>
__global__ void distribute(const T* in, const T* splitters, int* counts, T* out, int n) {
    __shared__ T s[kWays];
    __shared__ int s_counts[2 * kWays];
    for (int k = threadIdx.x; k < kWays - 1; k += kThreads) s[k] = splitters[k];
    for (int k = threadIdx.x; k < 2 * kWays; k += kThreads) s_counts[k] = 0;
    __syncthreads();
    T key[8];
    int bucket[8], rank[8];
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        int i = (blockIdx.x * 8 + r) * kThreads + threadIdx.x;
        bucket[r] = -1;
        if (i >= n) continue;
        key[r] = in[i];
        bucket[r] = bucket_of(key[r], s);
        rank[r] = atomicAdd(&s_counts[bucket[r]], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 2 * kWays; k += kThreads) {
        int count = s_counts[k];
        if (count > 0) s_counts[k] = atomicAdd(&counts[k], count);  // now where this block's keys begin
    }
    if (!move) return;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (bucket[r] >= 0) out[s_counts[bucket[r]] + rank[r]] = key[r];
    }
}

// A block for each bucket: runs in shared memory, then merges from one array into the other and back.
template <class T>
__global__ void __launch_bounds__(kThreads) sort_buckets(T* x, T* other, const int* ends) {
    __shared__ T s[kRun];
    int first = blockIdx.x == 0 ? 0 : ends[2 * blockIdx.x - 1], count = ends[2 * blockIdx.x] - first;
    T *from = x + first, *to = other + first;
    for (int run = 0; run < count; run += kRun) {
        int length = min(kRun, count - run);
        for (int k = threadIdx.x; k < length; k += kThreads) s[k] = from[run + k];
        sort_shared(s, length);
        for (int k = threadIdx.x; k < length; k += kThreads) from[run + k] = s[k];
        __syncthreads();
    }
    for (int run = kRun; run < count; run *= 2) {
        __syncthreads();
        // Each key finds its rank in the other run of its pair.
        for (int i = threadIdx.x; i < count; i += kThreads) {
            int pair = i / (2 * run) * (2 * run), middle = min(pair + run, count), end = min(pair + 2 * run, count);
            T key = from[i];
            int low = i < middle ? middle : pair, high = i < middle ? end : middle, begin = low;
            while (low < high) {
                int at = (low + high) / 2;
                bool before = i < middle ? from[at] < key : !(key < from[at]);
                if (before)
                    low = at + 1;
                else
                    high = at;
            }
            to[(i < middle ? i : i - (middle - pair)) + low - begin] = key;
        }
        T* swap = from;
        from = to;
        to = swap;
    }
    if (from == x + first) return;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += kThreads) to[i] = from[i];
}

}  // namespace samples

template <class T>
void sample_partition(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    using namespace samples;
    T *d_splitters = work.get<T>(kWays), *d_other = work.get<T>(n);
    int *d_counts = work.get<int>(2 * kWays), *d_ends = work.get<int>(2 * kWays + 1);
    CUDA_CHECK(cudaMemsetAsync(d_counts, 0, 2 * kWays * sizeof(int)));
    choose<<<1, kThreads>>>(d_in, d_splitters, n);
    CUDA_CHECK(cudaGetLastError());
    int blocks = ceil_div(n, 8 * kThreads);
    distribute<T, false><<<blocks, kThreads>>>(d_in, d_splitters, d_counts, nullptr, n);
    CUDA_CHECK(cudaGetLastError());
    primitives::exclusive_sum(d_counts, d_ends, 2 * kWays, work);
    distribute<T, true><<<blocks, kThreads>>>(d_in, d_splitters, d_ends, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    sort_buckets<<<kWays, kThreads>>>(d_out, d_other, d_ends);
    CUDA_CHECK(cudaGetLastError());
}

template void sample_partition(const int*, int*, int, Workspace&);
template void sample_partition(const long long*, long long*, int, Workspace&);
template void sample_partition(const Pair*, Pair*, int, Workspace&);
