// verdict: RTE task=vectorized max_n=5000
// because: which is not a multiple of 16
// Loads of 16 bytes from the first element on, wherever it lies.
#include <algorithm>

#include "reduce.h"

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kLoads = 4;  // in flight in each thread: all are asked for before the first is used

// All 32 lanes take part; lane 0 gets the result, the others something else.
template <class Op>
__device__ typename Op::type reduce_warp(typename Op::type value) {
    for (int half = 16; half > 0; half /= 2) value = Op()(value, __shfl_down_sync(kAllLanes, value, half));
    return value;
}

// All kBlock threads take part; thread 0 gets the result, the others something else.
template <class Op>
__device__ typename Op::type reduce_block(typename Op::type value) {
    __shared__ typename Op::type s_of_warp[kWarps];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = reduce_warp<Op>(value);
    if (lane == 0) s_of_warp[warp] = value;
    __syncthreads();
    if (warp > 0) return value;
    return reduce_warp<Op>(lane < kWarps ? s_of_warp[lane] : Op::identity());
}

template <class T>
struct alignas(16) Vector {
    static constexpr int kSize = 16 / sizeof(T);
    T item[kSize];
};

template <class Op, class T>
__global__ void __launch_bounds__(kBlock) vectorized_kernel(const T* d_from, typename Op::type* d_to, int n) {
    Op op;
    int rank = blockIdx.x * kBlock + threadIdx.x, threads = gridDim.x * kBlock;
    auto value = Op::identity();

    // Head, vectors, tail: at most 15 bytes lie before the first address that 16 divides, as many after the last.
    int head = 0;
    int vectors = (n - head) / Vector<T>::kSize;
    int tail = head + vectors * Vector<T>::kSize;
    if (rank < head) value = d_from[rank];
    if (rank < n - tail) value = op(value, d_from[tail + rank]);

    auto* d_vectors = reinterpret_cast<const Vector<T>*>(d_from + head);
    int i = rank;
    for (; i + (kLoads - 1) * threads < vectors; i += kLoads * threads) {
        Vector<T> v[kLoads];
        for (int k = 0; k < kLoads; ++k) v[k] = d_vectors[i + k * threads];
        for (int k = 0; k < kLoads; ++k) {
            for (T x : v[k].item) value = op(value, x);
        }
    }
    for (; i < vectors; i += threads) {
        Vector<T> v = d_vectors[i];
        for (T x : v.item) value = op(value, x);
    }

    value = reduce_block<Op>(value);
    if (threadIdx.x == 0) d_to[blockIdx.x] = value;
}

template <class Kernel>
int resident_blocks(Kernel* kernel) {
    int device = 0, processors = 0, blocks_each = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, kBlock, 0));
    return processors * blocks_each;
}

template <class Op, class T>
void vectorized(const T* d_in, typename Op::type* d_result, int n, Workspace& work) {
    static const int resident = resident_blocks(vectorized_kernel<Op, T>);
    int blocks = std::clamp(ceil_div(n, kBlock * Vector<T>::kSize), 1, resident);
    auto* d_partial = work.get<typename Op::type>(blocks);
    vectorized_kernel<Op><<<blocks, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    vectorized_kernel<Op><<<1, kBlock>>>(d_partial, d_result, blocks);
    CUDA_CHECK(cudaGetLastError());
}

template void vectorized<Sum<long long>>(const int*, long long*, int, Workspace&);
template void vectorized<Max<int>>(const int*, int*, int, Workspace&);
template void vectorized<Min<int>>(const int*, int*, int, Workspace&);
template void vectorized<Sum<float>>(const float*, float*, int, Workspace&);
template void vectorized<Max<float>>(const float*, float*, int, Workspace&);
template void vectorized<Min<float>>(const float*, float*, int, Workspace&);
