// verdict: WA or CHECK task=bitonic_block max_n=5000
// because: race in shared memory
// A barrier before each merge, and none between its steps.
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
        __syncthreads();
        for (int stride = size / 2; stride > 0; stride /= 2) {
            int low = 2 * t - t % stride;
            bool descend = ((low ^ (kTile - 1)) & size) != 0;
            T a = s_tile[low], b = s_tile[low + stride];
            bool swap = Order().before(b, a) != descend;
            s_tile[low] = swap ? b : a;
            s_tile[low + stride] = swap ? a : b;
        }
    }
    __syncthreads();
    for (int k = t; k < count; k += blockDim.x) d_out[first + k] = s_tile[k];
}

template <class Order>
void bitonic_block(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace&) {
    if (n == 0) return;
    bitonic_block_kernel<Order><<<ceil_div(n, kTile), kTile / 2>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void bitonic_block<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_block<Descending<int>>(const int*, int*, int, Workspace&);
