// verdict: TLE task=one_thread_per_merge seconds=2 max_n=5000
// because: kernel merge_runs at product_overflows.cu
// Threads without a pair compute where it would begin, which overflows if runs are long.
#include "merge.h"

constexpr int kBlock = 256;

// Launch: a thread for each pair of runs; a last run without a partner is a pair with an empty side.
template <class Order>
__global__ void merge_runs(const typename Order::type* d_in, typename Order::type* d_out, int n, int run) {
    int pair = blockIdx.x * kBlock + threadIdx.x;
    int i = 2 * run * pair, i_end = min(i + run, n);
    if (i >= n) return;
    int j = i_end, j_end = min(j + run, n);
    for (int out = i; out < j_end; ++out) {
        bool from_a = j == j_end || (i < i_end && !Order().before(d_in[j], d_in[i]));  // equal: a's goes first
        d_out[out] = from_a ? d_in[i++] : d_in[j++];
    }
}

template <class Order>
void one_thread_per_merge(const typename Order::type* d_in, typename Order::type* d_out, int n, int run, Workspace&) {
    if (n == 0) return;
    int pairs = ceil_div(n, 2 * run);
    merge_runs<Order><<<ceil_div(pairs, kBlock), kBlock>>>(d_in, d_out, n, run);
    CUDA_CHECK(cudaGetLastError());
}

template void one_thread_per_merge<Ascending<int>>(const int*, int*, int, int, Workspace&);
template void one_thread_per_merge<ByKey>(const Pair*, Pair*, int, int, Workspace&);
