// verdict: TLE task=bitonic_block seconds=2
// because: no answer within 2 s
// One thread of each block sorts its tile by insertion.
#include "networks.h"

template <class Order, class T = typename Order::type>
__global__ void insertion_sort(const T* d_in, T* d_out, int n) {
    __shared__ T s_tile[kTile];
    int first = blockIdx.x * kTile, count = min(kTile, n - first);
    for (int k = 0; k < count; ++k) {
        T element = d_in[first + k];
        int place = k;
        for (; place > 0 && Order().before(element, s_tile[place - 1]); --place) s_tile[place] = s_tile[place - 1];
        s_tile[place] = element;
    }
    for (int k = 0; k < count; ++k) d_out[first + k] = s_tile[k];
}

template <class Order>
void bitonic_block(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace&) {
    if (n == 0) return;
    insertion_sort<Order><<<ceil_div(n, kTile), 1>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void bitonic_block<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_block<Descending<int>>(const int*, int*, int, Workspace&);
