// Style: one warp sorts a tile alone, 32 threads in a block, with __syncwarp over volatile shared memory; virtual
// orders in device code; a switch over the size with template kernels.
#include "networks.h"

template <class T>
struct Rule {
    __device__ virtual bool before(T a, T b) const = 0;
};

template <class Order>
struct RuleOf : Rule<typename Order::type> {
    using T = typename Order::type;
    __device__ bool before(T a, T b) const override { return Order().before(a, b); }
};

template <class Order, class T, int kThreads>
__global__ void sort_tiles(const T* in, T* out, int n) {
    __shared__ T s[kTile];
    RuleOf<Order> rule_of_order;
    const Rule<T>& rule = rule_of_order;
    int first = blockIdx.x * kTile;
    for (int k = threadIdx.x; k < kTile; k += kThreads) s[k] = first + k < n ? in[first + k] : Order::last();
    // The form in which the lesser one always goes down: the first step of each merge is mirrored.
    for (int size = 2; size <= kTile; size *= 2) {
        for (int j = size / 2; j > 0; j /= 2) {
            __syncthreads();
            for (int p = threadIdx.x; p < kTile / 2; p += kThreads) {
                int low = 2 * p - (p & (j - 1)), high = j == size / 2 ? low ^ (size - 1) : low + j;
                if (!rule.before(s[high], s[low])) continue;
                T t = s[low];
                s[low] = s[high];
                s[high] = t;
            }
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < kTile && first + k < n; k += kThreads) out[first + k] = s[k];
}

template <class Order, class T>
void bitonic_block(const T* d_in, T* d_out, int n, Workspace&) {
    int tiles = (n + kTile - 1) / kTile;
    switch (tiles) {
        case 0:
            return;
        case 1:
            sort_tiles<Order, T, 1024><<<1, 1024>>>(d_in, d_out, n);
            break;
        default:
            sort_tiles<Order, T, 512><<<tiles, 512>>>(d_in, d_out, n);
    }
    CUDA_CHECK(cudaGetLastError());
}

template <Phases phases>
__global__ void one_warp(const int* in, int* out, int n) {
    __shared__ int memory[kTile];
    volatile int* s = memory;
    int first = blockIdx.x * kTile, count = min(kTile, n - first), lane = threadIdx.x;
    for (int k = lane; k < count; k += 32) s[k] = in[first + k];
    __syncwarp();
    for (int phase = 0; phase < count; phase += 2) {
        bool swapped = false;
        for (int parity = 0; parity < 2; ++parity) {
            for (int low = parity + 2 * lane; low + 1 < count; low += 64) {
                int a = s[low], b = s[low + 1];
                if (b < a) {
                    s[low] = b;
                    s[low + 1] = a;
                    swapped = true;
                }
            }
            __syncwarp();
        }
        if (phases == Phases::until_sorted && !__any_sync(0xffffffff, swapped)) break;
    }
    for (int k = lane; k < count; k += 32) out[first + k] = s[k];
}

template <Phases phases>
void odd_even(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    one_warp<phases><<<ceil_div(n, kTile), 32>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}

template void odd_even<Phases::all>(const int*, int*, int, Workspace&);
template void odd_even<Phases::until_sorted>(const int*, int*, int, Workspace&);
template void bitonic_block<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_block<Descending<int>>(const int*, int*, int, Workspace&);
