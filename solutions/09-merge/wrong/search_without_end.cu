// verdict: TLE task=rank_by_search seconds=2 max_n=5000
// because: when the time was up: kernel scatter_by_rank
// The lower end moves to the middle: where two are left, nothing moves any more.
#include "merge.h"

// How many of n sorted elements come before x. This is where x of a goes among those of b: behind none that is its
// equal.
template <class Order>
__device__ int count_before(const typename Order::type* sorted, int n, typename Order::type x) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (Order().before(sorted[middle], x))
            low = middle;
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
