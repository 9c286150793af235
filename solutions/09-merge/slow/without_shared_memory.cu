// verdict: SLOW task=merge_path
// because: sectors a request
// Every thread walks along its part of the path in global memory: neighbours read and write kItems elements apart.
#include "merge.h"

constexpr int kThreads = 256;
constexpr int kItems = 11;

// Of the first `diagonal` elements of the merged order, how many are a's? 0 <= diagonal <= na + nb.
template <class Order>
__device__ int count_of_a(const typename Order::type* a, int na, const typename Order::type* b, int nb, int diagonal) {
    int low = max(0, diagonal - nb), high = min(diagonal, na);  // b has only nb, and a only na
    while (low < high) {
        int i = (low + high) / 2;
        if (Order().before(b[diagonal - 1 - i], a[i]))  // then a[i] comes too late; among equals it does not
            high = i;
        else
            low = i + 1;
    }
    return low;
}

// Launch: a thread for every kItems elements of the output.
template <class Order>
__global__ void walk(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                     typename Order::type* d_out) {
    int diagonal = min(static_cast<int>(blockIdx.x * kThreads + threadIdx.x) * kItems, na + nb);
    int i = count_of_a<Order>(d_a, na, d_b, nb, diagonal), j = diagonal - i;
    for (int k = diagonal; k < min(diagonal + kItems, na + nb); ++k) {
        bool from_a = j == nb || (i < na && !Order().before(d_b[j], d_a[i]));
        d_out[k] = from_a ? d_a[i++] : d_b[j++];
    }
}

template <class Order>
void merge_path(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                typename Order::type* d_out, Workspace&) {
    if (na + nb == 0) return;
    int threads = ceil_div(na + nb, kItems);
    walk<Order><<<ceil_div(threads, kThreads), kThreads>>>(d_a, na, d_b, nb, d_out);
    CUDA_CHECK(cudaGetLastError());
}

template void merge_path<Ascending<int>>(const int*, int, const int*, int, int*, Workspace&);
template void merge_path<Ascending<long long>>(const long long*, int, const long long*, int, long long*, Workspace&);
template void merge_path<Ascending<float>>(const float*, int, const float*, int, float*, Workspace&);
template void merge_path<ByKey>(const Pair*, int, const Pair*, int, Pair*, Workspace&);
