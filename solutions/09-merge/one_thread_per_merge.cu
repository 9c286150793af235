// Task 1, one_thread_per_merge: a thread walks through two runs and takes the smaller head, as you would on paper.
// Work O(n), which is optimal; but neighbouring threads read and write 2 * run elements apart.
#include "merge.h"

constexpr int kBlock = 256;

// Launch: a thread for each pair of runs. The second run of the last pair may be empty.
template <class Order, class T>
__global__ void merge_runs(const T* d_in, T* d_out, int n, int run, int pairs) {
    int pair = blockIdx.x * kBlock + threadIdx.x;
    if (pair >= pairs) return;  // before it is multiplied: 2 * run * pair would overflow
    int i = 2 * run * pair, i_end = min(i + run, n);
    int j = i_end, j_end = min(j + run, n);
    for (int out = i; out < j_end; ++out) {
        bool from_a = j == j_end || (i < i_end && !Order().before(d_in[j], d_in[i]));  // equal: a's goes first
        d_out[out] = from_a ? d_in[i++] : d_in[j++];
    }
}

template <class Order, class T>
void one_thread_per_merge(const T* d_in, T* d_out, int n, int run, Workspace&) {
    if (n == 0) return;
    int pairs = ceil_div(n, 2 * run);
    merge_runs<Order><<<ceil_div(pairs, kBlock), kBlock>>>(d_in, d_out, n, run, pairs);
    CUDA_CHECK(cudaGetLastError());
}

template void one_thread_per_merge<Ascending<int>>(const int*, int*, int, int, Workspace&);
template void one_thread_per_merge<ByKey>(const Pair*, Pair*, int, int, Workspace&);
