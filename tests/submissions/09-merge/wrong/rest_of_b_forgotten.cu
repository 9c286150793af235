// The textbook's merge has three loops.
#include "merge.h"
template <class Order, class T>
__global__ void merge_pair(const T* in, T* out, int n, int run, int pairs) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    int a = p * 2 * run;
    int a_end = a + run < n ? a + run : n;
    int b = a_end;
    int b_end = b + run < n ? b + run : n;
    int o = a;
    while (a < a_end && b < b_end) {
        if (Order().before(in[b], in[a]))
            out[o++] = in[b++];
        else
            out[o++] = in[a++];
    }
    while (a < a_end) out[o++] = in[a++];
}
template <class Order, class T>
void one_thread_per_merge(const T* d_in, T* d_out, int n, int run, Workspace&) {
    if (n == 0) return;
    int pairs = ceil_div(n, 2 * run);
    merge_pair<Order><<<ceil_div(pairs, 64), 64>>>(d_in, d_out, n, run, pairs);
    CUDA_CHECK(cudaGetLastError());
}
template void one_thread_per_merge<Ascending<int>>(const int*, int*, int, int, Workspace&);
template void one_thread_per_merge<ByKey>(const Pair*, Pair*, int, int, Workspace&);
