// Style: one kernel without a list of cuts: two warps of each block search for its begin and end, 32 probes at a time
// with a ballot; dynamic shared memory carved by a small arena class; alignas and byte arrays.
#include "merge.h"

constexpr int kThreads = 128, kEach = 15, kTile = kThreads * kEach;

class Arena {
  public:
    __device__ explicit Arena(unsigned char* bytes) : at_(bytes) {}
    template <class T>
    __device__ T* take(int count) {
        T* taken = reinterpret_cast<T*>(at_);
        at_ += (count * sizeof(T) + 15) / 16 * 16;
        return taken;
    }

  private:
    unsigned char* at_;
};

template <class Order, class T>
__device__ bool taken(const T* a, const T* b, int i, int diagonal) {
    return !Order().before(b[diagonal - 1 - i], a[i]);
}

// All lanes of a warp together: how many of the first `diagonal` elements are a's. Each round leaves a 33rd.
template <class Order, class T>
__device__ int search_by_warp(const T* a, int na, const T* b, int nb, int diagonal) {
    int low = max(0, diagonal - nb), high = min(na, diagonal), lane = threadIdx.x & 31;
    while (low < high) {
        int step = (high - low + 31) / 32, probe = low + lane * step;
        unsigned yes = __ballot_sync(0xffffffffu, probe < high && taken<Order>(a, b, probe, diagonal));
        if (yes == 0) return low;
        int last = low + (31 - __clz(yes)) * step;
        high = min(high, last + step);
        low = last + 1;
    }
    return low;
}

template <class Order, class T>
__global__ void __launch_bounds__(kThreads) merge_tile(const T* a, int na, const T* b, int nb, T* out) {
    alignas(16) extern __shared__ unsigned char bytes[];
    Arena arena(bytes);
    T* s = arena.take<T>(kTile);
    int* s_cut = arena.take<int>(2);
    int begin = blockIdx.x * kTile, end = min(begin + kTile, na + nb), warp = threadIdx.x / 32;
    if (warp < 2) {
        int cut = search_by_warp<Order>(a, na, b, nb, warp == 0 ? begin : end);
        if (threadIdx.x % 32 == 0) s_cut[warp] = cut;
    }
    __syncthreads();
    int a_begin = s_cut[0], count = end - begin, from_a = s_cut[1] - a_begin, from_b = count - from_a;
    for (int k = threadIdx.x; k < count; k += kThreads)
        s[k] = k < from_a ? a[a_begin + k] : b[begin - a_begin + (k - from_a)];
    __syncthreads();

    const T *sa = s, *sb = s + from_a;
    int diagonal = min(static_cast<int>(threadIdx.x) * kEach, count);
    int low = max(0, diagonal - from_b), high = min(from_a, diagonal);
    while (low < high) {
        int middle = (low + high) / 2;
        bool more = taken<Order>(sa, sb, middle, diagonal);
        low = more ? middle + 1 : low;
        high = more ? high : middle;
    }
    T merged[kEach];
    int i = low, j = diagonal - low;
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        if (diagonal + k >= count) break;
        bool take_a = j >= from_b || (i < from_a && !Order().before(sb[j], sa[i]));
        merged[k] = take_a ? sa[i++] : sb[j++];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kEach; ++k)
        if (diagonal + k < count) s[diagonal + k] = merged[k];
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += kThreads) out[begin + k] = s[k];
}

template <class Order, class T>
void merge_path(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace&) {
    int tiles = ceil_div(na + nb, kTile);
    if (tiles == 0) return;
    merge_tile<Order><<<tiles, kThreads, kTile * sizeof(T) + 32>>>(d_a, na, d_b, nb, d_out);
    CUDA_CHECK(cudaGetLastError());
}

template void merge_path<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void merge_path<Ascending<long long>>(const long long*, int, const long long*, int, long long*, Workspace&);
template void merge_path<Ascending<float>>(const float*, int, const float*, int, float*, Workspace&);
template void merge_path<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
