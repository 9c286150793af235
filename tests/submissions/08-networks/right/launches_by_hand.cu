// Style: all launches by cudaLaunchKernel with an array of pointers, kernels found through a table of addresses; a
// grid-stride loop with 64-bit indices; comparators mirrored, so that nothing is padded; iterators in shared memory.
#include "networks.h"

constexpr long long kPiece = 2048;
constexpr unsigned kThreads = 512;

template <class Order, class T>
__host__ __device__ void put_in_order(T* low, T* high) {
    if (!Order().before(*high, *low)) return;
    T swap = *low;
    *low = *high;
    *high = swap;
}

// Comparator number `pair` of a step: mirrored within runs of `size`, or `apart` places from each other.
__device__ longlong2 places(long long pair, long long size, long long apart) {
    long long low = pair / apart * 2 * apart + pair % apart;
    return {low, 2 * apart == size ? low ^ (size - 1) : low + apart};
}

template <class Order, class T>
__device__ void steps_in_shared(T* begin, T* end, long long size, long long apart) {
    for (; apart > 0; apart /= 2) {
        for (int pair = threadIdx.x; pair < kPiece / 2; pair += blockDim.x) {
            auto [low, high] = places(pair, size, apart);
            if (begin + high < end) put_in_order<Order>(begin + low, begin + high);
        }
        __syncthreads();
    }
}

// All sizes up to a piece, or the last steps of a larger size.
template <class Order, class T>
__global__ void near(const T* from, T* to, long long n, long long size) {
    __shared__ T s[kPiece];
    long long first = blockIdx.x * kPiece, count = min(kPiece, n - first);
    for (int k = threadIdx.x; k < count; k += blockDim.x) s[k] = from[first + k];
    __syncthreads();
    if (size <= kPiece) {
        for (long long s_size = 2; s_size <= kPiece; s_size *= 2)
            steps_in_shared<Order>(s, s + count, s_size, s_size / 2);
    } else {
        steps_in_shared<Order>(s, s + count, size, kPiece / 2);
    }
    for (int k = threadIdx.x; k < count; k += blockDim.x) to[first + k] = s[k];
}

template <class Order, class T>
__global__ void far(T* x, long long n, long long size, long long apart, long long pairs) {
    long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long pair = blockIdx.x * stride / gridDim.x + threadIdx.x; pair < pairs; pair += stride) {
        auto [low, high] = places(pair, size, apart);
        if (high < n) put_in_order<Order>(x + low, x + high);
    }
}

template <class... Arguments>
void launch(const void* kernel, long long blocks, Arguments... arguments) {
    void* pointers[] = {&arguments...};
    CUDA_CHECK(cudaLaunchKernel(kernel, static_cast<unsigned>(blocks), kThreads, pointers, 0, cudaStreamLegacy));
}

template <class Order, class T>
void bitonic_global(const T* d_in, T* d_out, int count, Workspace&) {
    if (count == 0) return;
    long long n = count, pieces = ceil_div(n, kPiece), all = kPiece;
    const void* kernels[] = {reinterpret_cast<const void*>(&near<Order, T>),
                             reinterpret_cast<const void*>(&far<Order, T>)};
    launch(kernels[0], pieces, d_in, d_out, n, kPiece);
    while (all < n) all *= 2;
    for (long long size = 2 * kPiece; size <= all; size *= 2) {
        for (long long apart = size / 2; apart >= kPiece; apart /= 2)
            launch(kernels[1], 1024LL, d_out, n, size, apart, all / 2);
        launch(kernels[0], pieces, static_cast<const T*>(d_out), d_out, n, size);
    }
}

template void bitonic_global<Ascending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Descending<int>>(const int*, int*, int, Workspace&);
template void bitonic_global<Ascending<float>>(const float*, float*, int, Workspace&);
template void bitonic_global<ByKey>(const Pair*, Pair*, int, Workspace&);
