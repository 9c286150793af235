// Task 2, rank_by_search: two long arrays. Instead of walking, all elements search at once: an element's place in the
// output is its index in its own array plus its rank in the other one.
// Work O(n log n), steps O(log n). Neighbours search nearly the same places and read the same sectors.
#include "rank.cuh"

constexpr int kBlock = 256;

// Launch: a thread for each element, first those of a.
template <class Order, class T>
__global__ void scatter_by_rank(const T* d_a, int na, const T* d_b, int nb, T* d_out) {
    int t = blockIdx.x * kBlock + threadIdx.x;
    if (t < na) {
        T x = d_a[t];
        d_out[t + count_before<Order>(d_b, nb, x)] = x;
    } else if (t < na + nb) {
        T x = d_b[t - na];
        d_out[t - na + count_not_after<Order>(d_a, na, x)] = x;
    }
}

template <class Order, class T>
void rank_by_search(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace&) {
    if (na + nb == 0) return;
    scatter_by_rank<Order><<<ceil_div(na + nb, kBlock), kBlock>>>(d_a, na, d_b, nb, d_out);
    CUDA_CHECK(cudaGetLastError());
}

template void rank_by_search<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
