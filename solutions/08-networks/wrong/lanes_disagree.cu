// verdict: WA task=bitonic_registers max_n=5000
// because: elements are lost, such as (1, 0); (-3, 1) is there too often
// Of two equal pairs the one lane keeps its own, and the other lane takes that too.
#include "networks.h"

// Runs up to 32, an element a lane.
template <class Order, class T = typename Order::type>
__global__ void sort_warps(const T* d_in, T* d_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T own = i < n ? d_in[i] : Order::last();
    for (int size = 2; size <= 32; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            bool keeps_first = ((i & stride) == 0) != (((i ^ (n - 1)) & size) != 0);
            T other = shuffle_xor(own, stride);
            if (Order().before(other, own) == keeps_first) own = other;
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
