// Style: the two sides of an if each have their own __shfl_xor_sync and __syncwarp with the full mask, as Volta and
// later allow; a thread an element; one __noinline__ function with barriers, called from several places.
#include "networks.h"

template <class Order, class T>
__device__ T first_of(T a, T b) {
    return Order().before(b, a) ? b : a;
}
template <class Order, class T>
__device__ T second_of(T a, T b) {
    return Order().before(b, a) ? a : b;
}

template <class Order, class T>
__device__ T across_lanes(T x, int apart, bool upwards) {
    int lane = threadIdx.x & 31;
    if (((lane & apart) == 0) == upwards) {
        T other = __shfl_xor_sync(0xffffffff, x, apart);
        x = first_of<Order>(x, other);
        __syncwarp();
    } else {
        T other = __shfl_xor_sync(0xffffffff, x, apart);
        x = second_of<Order>(x, other);
        __syncwarp();
    }
    return x;
}

template <class Order, class T>
__device__ __noinline__ T across_warps(volatile T* s, T x, int apart, bool upwards) {
    int t = threadIdx.x;
    s[t] = x;
    __syncthreads();
    T other = s[t ^ apart];
    x = ((t & apart) == 0) == upwards ? first_of<Order>(x, other) : second_of<Order>(x, other);
    __syncthreads();
    return x;
}

template <class Order, class T>
__global__ void __launch_bounds__(kTile) sort_tile(const T* in, T* out, int n) {
    __shared__ T s[kTile];
    int t = threadIdx.x, i = blockIdx.x * kTile + t;
    T x = i < n ? in[i] : Order::last();
    for (int size = 2; size <= kTile; size <<= 1) {
        bool upwards = (t & size) == 0;
        if (size == kTile) x = across_warps<Order, T>(s, x, size / 2, true);
        for (int apart = size == kTile ? size / 4 : size / 2; apart >= 32; apart >>= 1)
            x = across_warps<Order, T>(s, x, apart, upwards);
        for (int apart = min(size / 2, 16); apart > 0; apart >>= 1) x = across_lanes<Order>(x, apart, upwards);
    }
    if (i < n) out[i] = x;
}

template <class Order, class T>
void bitonic_block(const T* d_in, T* d_out, int n, Workspace&) {
    if (n == 0) return;
    sort_tile<Order><<<ceil_div(n, kTile), kTile>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void bitonic_block<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_block<Descending<int>>(const int*, int*, int, Workspace&);
