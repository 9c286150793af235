// Rung 6, vectorized: as 5, but memory is kept busy, in three ways: loads of 16 bytes, four of them in flight in each
// thread, and as many blocks as the device holds at once.
#include <algorithm>
#include <cstdint>

#include "reduce.h"
#include "reduce_block.cuh"

constexpr int kLoads = 4;  // in flight in each thread: all are issued before the first result is used

template <class T>
struct alignas(16) Vector {
    static constexpr int kSize = 16 / sizeof(T);
    T item[kSize];
};

// Launch: as many blocks as the device holds at once, then one block for their results. Shared memory: as rung 5.
template <class Op, class T, class Result>
__global__ void __launch_bounds__(kBlock) vectorized_kernel(const T* d_from, Result* d_to, int n) {
    Op op;
    int rank = blockIdx.x * kBlock + threadIdx.x, threads = gridDim.x * kBlock;
    Result value = Op::identity();

    // Head, vectors, tail: less than 16 bytes lie before the first 16-byte boundary, and less than 16 after the last.
    int to_boundary = (16 - reinterpret_cast<std::uintptr_t>(d_from) % 16) % 16 / sizeof(T);
    int head = min(n, to_boundary);
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
    for (; i < vectors; i += threads) {  // fewer than kLoads are left
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

template <class Op, class T, class Result>
void vectorized(const T* d_in, Result* d_result, int n, Workspace& work) {
    static const int resident = resident_blocks(vectorized_kernel<Op, T, Result>);
    int blocks = std::clamp(ceil_div(n, kBlock * Vector<T>::kSize), 1, resident);
    Result* d_partial = work.get<Result>(blocks);
    vectorized_kernel<Op><<<blocks, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    vectorized_kernel<Op><<<1, kBlock>>>(d_partial, d_result, blocks);
    CUDA_CHECK(cudaGetLastError());
}

// ---- What is graded ----
template void vectorized<Sum<long long>>(const int*, long long*, int, Workspace&);
template void vectorized<Max<int>>(const int*, int*, int, Workspace&);
template void vectorized<Min<int>>(const int*, int*, int, Workspace&);
template void vectorized<Sum<float>>(const float*, float*, int, Workspace&);
template void vectorized<Max<float>>(const float*, float*, int, Workspace&);
template void vectorized<Min<float>>(const float*, float*, int, Workspace&);
