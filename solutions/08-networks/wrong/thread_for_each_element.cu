// verdict: WA or CHECK task=bitonic_block max_n=5000
// because: race in shared memory
// A thread for each element: it reads its partner's while the partner may be writing.
#include "networks.h"

template <class Order>
__global__ void bitonic_block_kernel(const typename Order::type* d_in, typename Order::type* d_out, int n) {
    using T = typename Order::type;
    __shared__ T s_tile[kTile];
    int t = threadIdx.x;
    int first = blockIdx.x * kTile;
    int count = min(kTile, n - first);
    for (int k = t; k < kTile; k += blockDim.x) s_tile[k] = k < count ? d_in[first + k] : Order::last();
    for (int size = 2; size <= kTile; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            T own = s_tile[t], other = s_tile[t ^ stride];
            bool keeps_first = ((t & stride) == 0) != (((t ^ (kTile - 1)) & size) != 0);
            if (keeps_first ? Order().before(other, own) : Order().before(own, other)) s_tile[t] = other;
        }
    }
    __syncthreads();
    for (int k = t; k < count; k += blockDim.x) d_out[first + k] = s_tile[k];
}

template <class Order>
void bitonic_block(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace&) {
    if (n == 0) return;
    bitonic_block_kernel<Order><<<ceil_div(n, kTile), kTile>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void bitonic_block<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_block<Descending<int>>(const int*, int*, int, Workspace&);
