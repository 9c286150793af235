// Style: ranks instead of walks: each lane counts who goes before it by shuffles, runs double in shared memory by
// searches, then in global memory; kernels in nested namespaces, a std::function for each pass, reference parameters.
#include <functional>

#include "merge.h"

constexpr int kThreads = 512;

namespace sorting::detail {

template <class T>
__device__ T from_lane(const T& x, int lane) {
    return __shfl_sync(~0u, x, lane);
}
__device__ inline Pair from_lane(const Pair& x, int lane) {
    return {__shfl_sync(~0u, x.key, lane), __shfl_sync(~0u, x.value, lane)};
}

// The place of x[i] in the merged run of its pair of runs. `n` ends the last run.
template <class Order, class T>
__device__ int place_of(const T* x, int i, int n, int run) {
    const T key = x[i];
    int first = i / (2 * run) * (2 * run), middle = min(first + run, n), end = min(first + 2 * run, n);
    bool left = i < middle;
    int low = left ? middle : first, high = left ? end : middle, begin = low;
    while (low < high) {
        int at = low + (high - low) / 2;
        if (left ? Order().before(x[at], key) : !Order().before(key, x[at]))
            low = at + 1;
        else
            high = at;
    }
    return first + (left ? i - first : i - middle) + (low - begin);
}

}  // namespace sorting::detail

namespace sorting {

template <class Order, class T>
__global__ void small_runs(const T* in, T* out, int n) {
    __shared__ T s[2][kThreads];
    int t = threadIdx.x, first = blockIdx.x * kThreads, count = min(kThreads, n - first), base = t & ~31;
    bool there = t < count;
    T x = there ? in[first + t] : Order::last();
    int rank = 0;
    for (int lane = 0; lane < 32; ++lane) {
        T other = detail::from_lane(x, lane);
        rank += Order().before(other, x) || (lane < t % 32 && !Order().before(x, other));
    }
    s[0][base + rank] = x;
    int side = 0;
    for (int run = 32; run < kThreads; run *= 2, side ^= 1) {
        __syncthreads();
        s[side ^ 1][detail::place_of<Order>(s[side], t, kThreads, run)] = s[side][t];
    }
    __syncthreads();
    if (there) out[first + t] = s[side][t];
}

template <class Order, class T>
__global__ void double_runs(const T* in, T* out, int n, int run) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) out[detail::place_of<Order>(in, i, n, run)] = in[i];
}

}  // namespace sorting

template <class Order, class T>
void merge_sort(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int blocks = ceil_div(n, kThreads), passes = 0;
    while (static_cast<long long>(kThreads) << passes < n) ++passes;
    T* here = passes % 2 == 0 ? d_out : work.get<T>(n);
    T* there = passes % 2 == 1 ? d_out : work.get<T>(n);
    std::function<void(int)> pass = [&](int run) {
        if (run >= n) return;
        sorting::double_runs<Order><<<blocks, kThreads>>>(here, there, n, run);
        CUDA_CHECK(cudaGetLastError());
        std::swap(here, there);
        pass(2 * run);
    };
    sorting::small_runs<Order><<<blocks, kThreads>>>(d_in, here, n);
    CUDA_CHECK(cudaGetLastError());
    pass(kThreads);
}

template void merge_sort<Ascending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Descending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Ascending<float>>(const float*, float*, int, Workspace&);
template void merge_sort<ByKey>(const Pair*, Pair*, int, Workspace&);
