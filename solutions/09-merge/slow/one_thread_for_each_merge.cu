// verdict: SLOW task=merge_sort
// because: of 32 lanes are active
// Every pass has a thread for each pair of runs: the last one has a single thread.
#include <utility>

#include "merge.h"

constexpr int kBlock = 256;

// Launch: a thread for each pair of runs; a last run without a partner is a pair with an empty side.
template <class Order>
__global__ void merge_runs(const typename Order::type* d_in, typename Order::type* d_out, int n, int run, int pairs) {
    int pair = blockIdx.x * kBlock + threadIdx.x;
    if (pair >= pairs) return;  // before it is multiplied: 2 * run * pair would overflow
    int i = 2 * run * pair, i_end = min(i + run, n);
    int j = i_end, j_end = min(j + run, n);
    for (int out = i; out < j_end; ++out) {
        bool from_a = j == j_end || (i < i_end && !Order().before(d_in[j], d_in[i]));
        d_out[out] = from_a ? d_in[i++] : d_in[j++];
    }
}

// Merges runs of 1, 2, 4, ... elements.
template <class Order>
void merge_sort(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int passes = 1;  // one at least: it copies
    while (1 << passes < n) ++passes;
    typename Order::type *d_to = d_out, *d_other = work.get<typename Order::type>(n);
    if (passes % 2 == 0) std::swap(d_to, d_other);
    const typename Order::type* d_from = d_in;
    for (int pass = 0; pass < passes; ++pass) {
        int run = 1 << pass, pairs = ceil_div(n, 2 * run);
        merge_runs<Order><<<ceil_div(pairs, kBlock), kBlock>>>(d_from, d_to, n, run, pairs);
        CUDA_CHECK(cudaGetLastError());
        d_from = d_to;
        std::swap(d_to, d_other);
    }
}

template void merge_sort<Ascending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Descending<int>>(const int*, int*, int, Workspace&);
template void merge_sort<Ascending<float>>(const float*, float*, int, Workspace&);
template void merge_sort<ByKey>(const Pair*, Pair*, int, Workspace&);
