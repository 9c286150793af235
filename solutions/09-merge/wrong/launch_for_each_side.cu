// verdict: RTE task=rank_by_search max_n=5000
// because: cudaErrorInvalidConfiguration
// A launch for each side, and one of them may be empty.
#include "merge.h"

// How many of n sorted elements come before x. This is where x of a goes among those of b: behind none that is its
// equal.
template <class Order>
__device__ int count_before(const typename Order::type* sorted, int n, typename Order::type x) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (Order().before(sorted[middle], x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// How many of n sorted elements do not come after x. This is where x of b goes among those of a: behind all that are
// its equals. So no two elements get the same place.
template <class Order>
__device__ int count_not_after(const typename Order::type* sorted, int n, typename Order::type x) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (!Order().before(x, sorted[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

constexpr int kBlock = 256;

// Launch: a thread for each element of one side.
template <class Order>
__global__ void scatter_by_rank(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                                typename Order::type* d_out, bool is_a) {
    int t = blockIdx.x * kBlock + threadIdx.x;
    if (is_a && t < na) d_out[t + count_before<Order>(d_b, nb, d_a[t])] = d_a[t];
    if (!is_a && t < nb) d_out[t + count_not_after<Order>(d_a, na, d_b[t])] = d_b[t];
}

template <class Order>
void rank_by_search(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                    typename Order::type* d_out, Workspace&) {
    if (na + nb == 0) return;
    scatter_by_rank<Order><<<ceil_div(na, kBlock), kBlock>>>(d_a, na, d_b, nb, d_out, true);
    CUDA_CHECK(cudaGetLastError());
    scatter_by_rank<Order><<<ceil_div(nb, kBlock), kBlock>>>(d_a, na, d_b, nb, d_out, false);
    CUDA_CHECK(cudaGetLastError());
}

template void rank_by_search<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void rank_by_search<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
