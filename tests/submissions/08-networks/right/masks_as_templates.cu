// Style: template recursion: each step is a class template over the mask by which two places differ, and the compiler
// chooses registers, shuffles or shared memory for it; eight consecutive elements a thread; if constexpr, folds.
#include <utility>

#include "networks.h"

constexpr int kEach = 8, kThreads = 256, kPiece = kEach * kThreads;

constexpr int top_bit(int mask) { return mask < 2 ? mask : 2 * top_bit(mask / 2); }

template <class Order, int kMask>
struct Exchange {
    using T = typename Order::type;
    static constexpr int kTop = top_bit(kMask);

    static __device__ T keep(T own, T other, bool first) {
        Order order;
        bool take = first ? order.before(other, own) : order.before(own, other);
        return take ? other : own;
    }

    static __device__ void run(T (&x)[kEach], T* s) {
        int t = threadIdx.x;
        bool first = (t * kEach & kTop) == 0;
        T other[kEach];
        if constexpr (kMask >= 32 * kEach) {
            __syncthreads();
#pragma unroll
            for (int k = 0; k < kEach; ++k) s[k * kThreads + t] = x[k];
            __syncthreads();
#pragma unroll
            for (int k = 0; k < kEach; ++k) other[k] = s[(k ^ kMask % kEach) * kThreads + (t ^ kMask / kEach)];
        } else if constexpr (kMask >= kEach) {
#pragma unroll
            for (int k = 0; k < kEach; ++k) other[k] = shuffle_xor(x[k ^ kMask % kEach], kMask / kEach);
        } else {
#pragma unroll
            for (int k = 0; k < kEach; ++k) other[k] = x[k ^ kMask];
        }
#pragma unroll
        for (int k = 0; k < kEach; ++k) x[k] = keep(x[k], other[k], kMask < kEach ? (k & kTop) == 0 : first);
    }
};

template <class Order, int kApart, class T>
__device__ void descend(T (&x)[kEach], T* s) {
    if constexpr (kApart > 0) {
        Exchange<Order, kApart>::run(x, s);
        descend<Order, kApart / 2>(x, s);
    }
}

template <class Order, class T, int... k>
__device__ void sort_piece(T (&x)[kEach], T* s, std::integer_sequence<int, k...>) {
    ((Exchange<Order, (2 << k) - 1>::run(x, s), descend<Order, (1 << k) / 2>(x, s)), ...);
}

template <class Order, bool kSort, class T>
__global__ void __launch_bounds__(kThreads) pieces(const T* in, T* out, int n) {
    __shared__ T s[kPiece];
    T x[kEach];
    int first = blockIdx.x * kPiece, t = threadIdx.x;
    for (int k = t; k < kPiece; k += kThreads) s[k] = first + k < n ? in[first + k] : Order::last();
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kEach; ++k) x[k] = s[t * kEach + k];
    if constexpr (kSort)
        sort_piece<Order>(x, s, std::make_integer_sequence<int, 11>());
    else
        descend<Order, kPiece / 2>(x, s);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kEach; ++k) s[t * kEach + k] = x[k];
    __syncthreads();
    for (int k = t; k < kPiece && first + k < n; k += kThreads) out[first + k] = s[k];
}

template <class Order, class T>
__global__ void exchange(T* x, int n, unsigned mask, unsigned top) {
    unsigned pair = blockIdx.x * blockDim.x + threadIdx.x, low = (pair & ~(top - 1)) * 2 | (pair & (top - 1));
    if ((low ^ mask) >= n) return;
    T a = x[low], b = x[low ^ mask];
    if (!Order().before(b, a)) return;
    x[low] = b;
    x[low ^ mask] = a;
}

template <class Order, class T>
void bitonic_registers(const T* d_in, T* d_out, int n, Workspace&) {
    if (n == 0) return;
    int blocks = ceil_div(n, kPiece);
    pieces<Order, true><<<blocks, kThreads>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    for (unsigned size = 2 * kPiece; size / 2 < n; size *= 2) {
        for (unsigned top = size / 2; top >= kPiece; top /= 2) {
            unsigned groups = ceil_div(static_cast<unsigned>(n), 2 * top);
            exchange<Order><<<groups*(top / kThreads), kThreads>>>(d_out, n, top == size / 2 ? size - 1 : top, top);
            CUDA_CHECK(cudaGetLastError());
        }
        pieces<Order, false><<<blocks, kThreads>>>(d_out, d_out, n);
        CUDA_CHECK(cudaGetLastError());
    }
}

template void bitonic_registers<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_registers<Ascending<long long>>(const long long*, long long*, int, Workspace&);
template void bitonic_registers<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_registers<ByKey>(const Pair*, Pair*, int, Workspace&);
