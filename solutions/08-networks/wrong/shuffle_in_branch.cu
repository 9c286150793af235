// verdict: TLE task=bitonic_registers max_n=5000
// because: wait for other lanes of their warp
// The lower lanes shuffle in one branch, and the upper ones in the other.
#include "networks.h"

// Runs up to 32, an element a lane.
template <class Order, class T = typename Order::type>
__global__ void sort_warps(const T* d_in, T* d_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T own = i < n ? d_in[i] : Order::last();
    for (int size = 2; size <= 32; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            bool keeps_first = ((i & stride) == 0) != (((i ^ (n - 1)) & size) != 0);
            T other = own;
            if ((i & stride) == 0) {
                other = shuffle_xor(own, stride);
            } else {
                other = shuffle_xor(own, stride);
            }
            if (keeps_first ? Order().before(other, own) : Order().before(own, other)) own = other;
        }
    }
    if (i < n) d_out[i] = own;
}

template <class Order, class T = typename Order::type>
__global__ void step(T* d_data, int n, int size, int stride) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 2 * t - t % stride, high = low + stride;
    if (high >= n || Order().before(d_data[high], d_data[low]) == (((low ^ (n - 1)) & size) != 0)) return;
    T moved = d_data[low];
    d_data[low] = d_data[high];
    d_data[high] = moved;
}

template <class Order>
void bitonic_registers(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace&) {
    if (n == 0) return;
    sort_warps<Order><<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    for (int size = 64; size < 2 * n; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2)
            step<Order><<<ceil_div(ceil_div(n, 2 * stride) * stride, 256), 256>>>(d_out, n, size, stride);
    }
    CUDA_CHECK(cudaGetLastError());
}

template void bitonic_registers<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Ascending<long long>>(const long long*, long long*, int, Workspace&);
template void bitonic_registers<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_registers<ByKey>(const Pair*, Pair*, int, Workspace&);
