// Style: a warp sorts 64 keys alone in volatile shared memory; the two sides of an if each end with a __syncwarp() of
// their own; early returns of whole warps; larger runs by one warp after the other, with a barrier only where needed.
#include "networks.h"

constexpr int kOwn = 64, kWarps = kTile / kOwn;

template <class Order, class T>
__device__ void compare(volatile T* low, volatile T* high, bool upwards) {
    T a = *low, b = *high;
    if (upwards ? !Order().before(b, a) : !Order().before(a, b)) return;
    *low = b;
    *high = a;
}

// The steps of one merge that stay within a warp's 64 places. Lanes that compare upwards and lanes that compare
// downwards go separate ways.
template <class Order, class T>
__device__ void merge_own(volatile T* own, int first, int size, int apart) {
    int lane = threadIdx.x & 31;
    for (; apart > 0; apart >>= 1) {
        int low = 2 * lane - (lane & (apart - 1));
        if (((first + low) & size) == 0) {
            compare<Order, T>(own + low, own + low + apart, true);
            __syncwarp();
        } else {
            compare<Order, T>(own + low, own + low + apart, false);
            __syncwarp();
        }
    }
}

template <class Order, class T>
__global__ void __launch_bounds__(32 * kWarps) sort_tile(const T* in, T* out, int n) {
    __shared__ T s_tile[kTile];
    volatile T* s = s_tile;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, base = blockIdx.x * kTile, first = warp * kOwn;
    volatile T* own = s + first;
    for (int k = lane; k < kOwn; k += 32) own[k] = base + first + k < n ? in[base + first + k] : Order::last();
    __syncwarp();
    for (int size = 2; size <= kOwn; size *= 2) merge_own<Order, T>(own, first, size, size / 2);
    for (int size = 2 * kOwn; size <= kTile; size *= 2) {
        for (int apart = size / 2; apart >= kOwn; apart >>= 1) {
            __syncthreads();
            int pair = threadIdx.x, low = 2 * pair - (pair & (apart - 1));
            compare<Order, T>(s + low, s + low + apart, (low & size) == 0);
        }
        __syncthreads();
        merge_own<Order, T>(own, first, size, kOwn / 2);
    }
    for (int k = lane; k < kOwn; k += 32)
        if (base + first + k < n) out[base + first + k] = own[k];
}

template <class Order, class T>
void bitonic_block(const T* d_in, T* d_out, int n, Workspace&) {
    if (n == 0) return;
    sort_tile<Order><<<ceil_div(n, kTile), 32 * kWarps>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void bitonic_block<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_block<Descending<int>>(const int*, int*, int, Workspace&);
