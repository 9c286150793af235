// verdict: WA task=bitonic_global max_n=5000
// because: 1 of 2 elements is lost, such as nan
// fminf and fmaxf instead of Order().before(): of a number and a NaN both give the number.
#include <type_traits>

#include "networks.h"

template <class Order, class T = typename Order::type>
__device__ void exchange(T& a, T& b, bool descend) {
    if constexpr (std::is_same_v<T, float>) {
        float low = fminf(a, b), high = fmaxf(a, b);
        a = descend ? high : low;
        b = descend ? low : high;
        return;
    }
    if (Order().before(b, a) == descend) return;
    T low = b;
    b = a;
    a = low;
}

// All strides of the merge to runs of `size` that fit into a tile.
template <class Order, class T = typename Order::type>
__device__ void merge_in_tile(T* s_tile, int first, int last, int size) {
    for (int stride = min(size, kTile) / 2; stride > 0; stride /= 2) {
        __syncthreads();
        int low = 2 * threadIdx.x - threadIdx.x % stride;
        exchange<Order>(s_tile[low], s_tile[low + stride], (((first + low) ^ last) & size) != 0);
    }
    __syncthreads();
}

template <class Order, class T = typename Order::type>
__global__ void sort_tiles(const T* d_in, T* d_out, int n) {
    __shared__ T s_tile[kTile];
    int first = blockIdx.x * kTile;
    for (int k = threadIdx.x; k < kTile; k += kTile / 2) s_tile[k] = first + k < n ? d_in[first + k] : Order::last();
    for (int size = 2; size <= kTile; size *= 2) merge_in_tile<Order>(s_tile, first, n - 1, size);
    for (int k = threadIdx.x; k < kTile && first + k < n; k += kTile / 2) d_out[first + k] = s_tile[k];
}

template <class Order, class T = typename Order::type>
__global__ void exchange_far(T* d_data, int n, int size, int stride) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 2 * t - t % stride;
    if (low + stride < n) exchange<Order>(d_data[low], d_data[low + stride], ((low ^ (n - 1)) & size) != 0);
}

template <class Order, class T = typename Order::type>
__global__ void merge_tiles(T* d_data, int n, int size) {
    __shared__ T s_tile[kTile];
    int first = blockIdx.x * kTile;
    for (int k = threadIdx.x; k < kTile; k += kTile / 2) s_tile[k] = first + k < n ? d_data[first + k] : Order::last();
    merge_in_tile<Order>(s_tile, first, n - 1, size);
    for (int k = threadIdx.x; k < kTile && first + k < n; k += kTile / 2) d_data[first + k] = s_tile[k];
}

template <class Order>
void bitonic_global(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace&) {
    if (n == 0) return;
    sort_tiles<Order><<<ceil_div(n, kTile), kTile / 2>>>(d_in, d_out, n);
    for (int size = 2 * kTile; size < 2 * n; size *= 2) {
        for (int stride = size / 2; stride >= kTile; stride /= 2)
            exchange_far<Order><<<ceil_div(n, 2 * stride) * stride / (kTile / 2), kTile / 2>>>(d_out, n, size, stride);
        merge_tiles<Order><<<ceil_div(n, kTile), kTile / 2>>>(d_out, n, size);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void bitonic_global<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_global<ByKey>(const Pair*, Pair*, int, Workspace&);
