// verdict: WA or CHECK or RTE task=splitters max_n=5000
// because: uninitialized global memory was read
// Nobody says where the last piece ends.
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

constexpr int kStep = 256;  // also the threads of a block

// Where a piece begins: so many elements of a, and of b, come before it.
struct Cut {
    int a, b;
};

// Launch: a thread for each splitter, first those of a. A splitter's rank among all splitters is its own number plus
// that of the other side's splitters before it, and those are at 0, kStep, 2 kStep, ...: no second search.
template <class Order>
__global__ void find_cuts(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                          Cut* d_cuts) {
    int t = blockIdx.x * kStep + threadIdx.x, of_a = ceil_div(na, kStep), of_b = ceil_div(nb, kStep);
    if (t < of_a) {
        int rank = count_before<Order>(d_b, nb, d_a[t * kStep]);
        d_cuts[t + ceil_div(rank, kStep)] = {t * kStep, rank};
    } else if (t < of_a + of_b) {
        t -= of_a;
        int rank = count_not_after<Order>(d_a, na, d_b[t * kStep]);
        d_cuts[t + ceil_div(rank, kStep)] = {rank, t * kStep};
    }
}

// Launch: a block of kStep threads for each piece; a thread has one element of each side, or none.
// Shared memory: both sides of a piece, and the piece merged.
template <class Order>
__global__ void merge_pieces(const typename Order::type* d_a, const typename Order::type* d_b,
                             typename Order::type* d_out, const Cut* d_cuts) {
    using T = typename Order::type;
    __shared__ T s_a[kStep], s_b[kStep], s_out[2 * kStep];
    Cut begin = d_cuts[blockIdx.x], end = d_cuts[blockIdx.x + 1];
    int t = threadIdx.x, na = end.a - begin.a, nb = end.b - begin.b;
    if (t < na) s_a[t] = d_a[begin.a + t];
    if (t < nb) s_b[t] = d_b[begin.b + t];
    __syncthreads();
    if (t < na) s_out[t + count_before<Order>(s_b, nb, s_a[t])] = s_a[t];
    if (t < nb) s_out[t + count_not_after<Order>(s_a, na, s_b[t])] = s_b[t];
    __syncthreads();
    for (int k = t; k < na + nb; k += kStep) d_out[begin.a + begin.b + k] = s_out[k];  // in order: coalesced
}

template <class Order>
void splitters(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
               typename Order::type* d_out, Workspace& work) {
    if (na + nb == 0) return;
    int pieces = ceil_div(na, kStep) + ceil_div(nb, kStep);  // each one begins with its splitter: none is empty
    Cut* d_cuts = work.get<Cut>(pieces + 1);
    find_cuts<Order><<<ceil_div(pieces, kStep), kStep>>>(d_a, na, d_b, nb, d_cuts);
    CUDA_CHECK(cudaGetLastError());
    merge_pieces<Order><<<pieces, kStep>>>(d_a, d_b, d_out, d_cuts);
    CUDA_CHECK(cudaGetLastError());
}

template void splitters<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<Descending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void splitters<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
