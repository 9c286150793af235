// Rung 2, rank_by_search: the two sides may be long. Nobody walks: every element's place in the output is its index in
// its own array plus its rank in the other one, and all of them search at once.
// Work O(n log n), steps O(log n). Neighbours search in nearly the same places, and read the same sectors.
#include "rank.cuh"

constexpr int kBlock = 256;

// Launch: a thread for each element, first those of a.
template <class Order>
__global__ void scatter_by_rank(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                                typename Order::type* d_out) {
    int t = blockIdx.x * kBlock + threadIdx.x;
    if (t < na) {
        typename Order::type x = d_a[t];
        d_out[t + count_before<Order>(d_b, nb, x)] = x;
    } else if (t < na + nb) {
        typename Order::type x = d_b[t - na];
        d_out[t - na + count_not_after<Order>(d_a, na, x)] = x;
    }
}

template <class Order>
void rank_by_search(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                    typename Order::type* d_out, Workspace&) {
    if (na + nb == 0) return;
    scatter_by_rank<Order><<<ceil_div(na + nb, kBlock), kBlock>>>(d_a, na, d_b, nb, d_out);
    CUDA_CHECK(cudaGetLastError());
}

template void rank_by_search<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
