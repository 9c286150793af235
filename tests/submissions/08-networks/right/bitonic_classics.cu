// Style: the classic loops over k and j; padding in the workspace; dynamic shared memory as an array of bytes.

#include "networks.h"

template <class Order, class T>
__device__ void exchange(T& a, T& b, bool ascending) {
    bool wrong = ascending ? Order().before(b, a) : Order().before(a, b);
    if (wrong) {
        T t = a;
        a = b;
        b = t;
    }
}

template <class Order, class T>
__global__ void sort_tile(const T* in, T* out, int n) {
    extern __shared__ __align__(8) unsigned char bytes[];
    T* s = reinterpret_cast<T*>(bytes);
    unsigned t = threadIdx.x;
    int i = blockIdx.x * kTile + t;
    s[t] = i < n ? in[i] : Order::last();
    for (unsigned k = 2; k <= kTile; k <<= 1) {
        for (unsigned j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            unsigned other = t ^ j;
            if (other > t) exchange<Order>(s[t], s[other], (t & k) == 0);
        }
    }
    __syncthreads();
    if (i < n) out[i] = s[t];
}

template <class Order, class T>
void bitonic_block(const T* d_in, T* d_out, int n, Workspace&) {
    if (n == 0) return;
    sort_tile<Order><<<ceil_div(n, kTile), kTile, kTile * sizeof(T)>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

// Padded to a power of two in the workspace. Padding stays behind all elements, as the lesser one always goes down: a
// pair may have the padding's key, and its value must not be lost.
template <class Order, class T>
__global__ void pad(const T* in, T* to, int n, int size) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
        to[i] = i < n ? in[i] : Order::last();
}

template <class Order, class T>
__device__ void compare_pair(T* x, int p, int j, int k) {
    int low = 2 * p - (p & (j - 1)), high = 2 * j == k ? low ^ (k - 1) : low + j;
    exchange<Order>(x[low], x[high], true);
}

// All steps of the merges from_k, ..., to_k whose distance fits into a tile.
template <class Order, class T>
__global__ void steps_in_tile(T* x, int from_k, int to_k) {
    __shared__ T s[kTile];
    int t = threadIdx.x, i = blockIdx.x * kTile + t;
    s[t] = x[i];
    s[t + kTile / 2] = x[i + kTile / 2];
    for (int k = from_k; k <= to_k; k <<= 1) {
        for (int j = min(k, kTile) >> 1; j > 0; j >>= 1) {
            __syncthreads();
            compare_pair<Order>(s, t, j, k);
        }
    }
    __syncthreads();
    x[i] = s[t];
    x[i + kTile / 2] = s[t + kTile / 2];
}

template <class Order, class T>
__global__ void step(T* x, int pairs, int j, int k) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pairs) compare_pair<Order>(x, p, j, k);
}

template <class Order, class T>
void bitonic_global(const T* d_in, T* d_out, int n, Workspace& work) {
    if (n == 0) return;
    int size = kTile;
    while (size < n) size *= 2;
    T* d_x = work.get<T>(size);
    pad<Order><<<ceil_div(size, 256), 256>>>(d_in, d_x, n, size);
    CUDA_CHECK(cudaGetLastError());
    steps_in_tile<Order><<<size / kTile, kTile / 2>>>(d_x, 2, kTile);
    CUDA_CHECK(cudaGetLastError());
    for (int k = 2 * kTile; k <= size; k *= 2) {
        for (int j = k / 2; j >= kTile; j /= 2) {
            step<Order><<<size / 512, 256>>>(d_x, size / 2, j, k);
            CUDA_CHECK(cudaGetLastError());
        }
        steps_in_tile<Order><<<size / kTile, kTile / 2>>>(d_x, k, k);
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaMemcpyAsync(d_out, d_x, n * sizeof(T), cudaMemcpyDeviceToDevice));
}

template void bitonic_block<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_block<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_global<ByKey>(const Pair*, Pair*, int, Workspace&);
