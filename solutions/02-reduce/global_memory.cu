// Lab 2, reduce: the ladder. Each rung's comment says only what changed from the one before.
// Speeds: bytes that must move a second, on an NVIDIA H200 at n = 2^24 (docs/times-h200.md).
//
// rung                 H200  idea
// global_memory    411 GB/s  a launch for each level of the tree, partial sums in global memory
// interleaved      536 GB/s  eight levels of the tree in shared memory; the threads that add lie 2, 4, 8, ... apart
// sequential       605 GB/s  the threads that add are the first ones, and neighbours read neighbours
// grid_stride      986 GB/s  a fixed grid: each thread adds many elements before the tree begins; any operator
// warp_shuffle   1,018 GB/s  the lanes of a warp read each other's registers: one barrier instead of eight
// vectorized     1,219 GB/s  loads of 16 bytes, four in flight in each thread; as many blocks as the GPU holds at once
#include "reduce.h"

#include <algorithm>
#include <cstdint>

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;
constexpr unsigned kAllLanes = 0xffffffff;

// ---- Rung 1, global_memory ----
// Launch: a thread for each pair, once a level. Global memory: each level is read and the next one written.
template <class T>
__global__ void add_pairs(const T* d_from, long long* d_to, int n) {
    int left = 2 * (blockIdx.x * kBlock + threadIdx.x);
    int right = left + 1;
    if (left >= n) return;
    long long sum = d_from[left];
    if (right < n) sum += d_from[right];
    d_to[left / 2] = sum;
}

// Every level has an array of its own: blocks run in any order, and none may overwrite what another has yet to read.
template <class T>
void add_levels(const T* d_from, long long* d_sum, int n, Workspace& work) {
    int pairs = ceil_div(n, 2);
    long long* d_to = pairs == 1 ? d_sum : work.get<long long>(pairs);
    add_pairs<<<ceil_div(pairs, kBlock), kBlock>>>(d_from, d_to, n);
    CUDA_CHECK(cudaGetLastError());
    if (pairs > 1) add_levels(d_to, d_sum, pairs, work);
}

void global_memory(const int* d_in, long long* d_sum, int n, Workspace& work) {
    if (n == 0) {
        CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof *d_sum));
        return;
    }
    add_levels(d_in, d_sum, n, work);
}

// ---- Rung 2, interleaved: as 1, but a block climbs eight levels before it writes one partial sum ----
// Launch: a thread for each element, again for the partial sums. Shared memory: one long long a thread.
template <class T>
__global__ void interleaved_kernel(const T* d_from, long long* d_to, int n) {
    __shared__ long long s[kBlock];
    int t = threadIdx.x;
    int i = blockIdx.x * kBlock + t;
    s[t] = i < n ? d_from[i] : 0;
    for (int apart = 1; apart < kBlock; apart *= 2) {
        __syncthreads();
        if (t % (2 * apart) == 0) s[t] += s[t + apart];
    }
    if (t == 0) d_to[blockIdx.x] = s[0];
}

template <class T>
void add_interleaved(const T* d_from, long long* d_sum, int n, Workspace& work) {
    int blocks = std::max(1, ceil_div(n, kBlock));
    long long* d_to = blocks == 1 ? d_sum : work.get<long long>(blocks);
    interleaved_kernel<<<blocks, kBlock>>>(d_from, d_to, n);
    CUDA_CHECK(cudaGetLastError());
    if (blocks > 1) add_interleaved(d_to, d_sum, blocks, work);
}

void interleaved(const int* d_in, long long* d_sum, int n, Workspace& work) { add_interleaved(d_in, d_sum, n, work); }

// ---- Rung 3, sequential: as 2, but the first threads add, so that whole warps work or rest ----
template <class T>
__global__ void sequential_kernel(const T* d_from, long long* d_to, int n) {
    __shared__ long long s[kBlock];
    int t = threadIdx.x;
    int i = blockIdx.x * kBlock + t;
    s[t] = i < n ? d_from[i] : 0;
    for (int half = kBlock / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t] += s[t + half];
    }
    if (t == 0) d_to[blockIdx.x] = s[0];
}

template <class T>
void add_sequential(const T* d_from, long long* d_sum, int n, Workspace& work) {
    int blocks = std::max(1, ceil_div(n, kBlock));
    long long* d_to = blocks == 1 ? d_sum : work.get<long long>(blocks);
    sequential_kernel<<<blocks, kBlock>>>(d_from, d_to, n);
    CUDA_CHECK(cudaGetLastError());
    if (blocks > 1) add_sequential(d_to, d_sum, blocks, work);
}

void sequential(const int* d_in, long long* d_sum, int n, Workspace& work) { add_sequential(d_in, d_sum, n, work); }

// ---- Rung 4, grid_stride: as 3, but each thread first adds every (gridDim.x * kBlock)-th element ----
// Launch: at most kGrid blocks, then one block for what they leave. Any operator.
constexpr int kGrid = 1024;

template <class Op, class T>
__global__ void grid_stride_kernel(const T* d_from, typename Op::type* d_to, int n) {
    __shared__ typename Op::type s[kBlock];
    Op op;
    int t = threadIdx.x;
    auto value = Op::identity();
    for (int i = blockIdx.x * kBlock + t; i < n; i += gridDim.x * kBlock) value = op(value, d_from[i]);
    s[t] = value;
    for (int half = kBlock / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t] = op(s[t], s[t + half]);
    }
    if (t == 0) d_to[blockIdx.x] = s[0];
}

template <class Op, class T>
void grid_stride(const T* d_in, typename Op::type* d_result, int n, Workspace& work) {
    int blocks = std::clamp(ceil_div(n, kBlock), 1, kGrid);
    auto* d_partial = work.get<typename Op::type>(blocks);
    grid_stride_kernel<Op><<<blocks, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    grid_stride_kernel<Op><<<1, kBlock>>>(d_partial, d_result, blocks);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Rung 5, warp_shuffle: as 4, but the tree is climbed in registers: 32 lanes, then 8 warps ----
// Launch: as 4. Shared memory: one value a warp.

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

template <class Op, class T>
__global__ void warp_shuffle_kernel(const T* d_from, typename Op::type* d_to, int n) {
    auto value = Op::identity();
    for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) value = Op()(value, d_from[i]);
    value = reduce_block<Op>(value);
    if (threadIdx.x == 0) d_to[blockIdx.x] = value;
}

template <class Op, class T>
void warp_shuffle(const T* d_in, typename Op::type* d_result, int n, Workspace& work) {
    int blocks = std::clamp(ceil_div(n, kBlock), 1, kGrid);
    auto* d_partial = work.get<typename Op::type>(blocks);
    warp_shuffle_kernel<Op><<<blocks, kBlock>>>(d_in, d_partial, n);
    CUDA_CHECK(cudaGetLastError());
    warp_shuffle_kernel<Op><<<1, kBlock>>>(d_partial, d_result, blocks);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Rung 6, vectorized: as 5, but memory is kept busy ----
// Launch: as many blocks as the GPU holds at once, then one.
constexpr int kLoads = 4;  // in flight in each thread: all are asked for before the first is used

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

// ---- What is graded ----
template void grid_stride<Sum<long long>>(const int*, long long*, int, Workspace&);
template void grid_stride<Max<int>>(const int*, int*, int, Workspace&);
template void grid_stride<Min<int>>(const int*, int*, int, Workspace&);
template void grid_stride<Sum<float>>(const float*, float*, int, Workspace&);
template void grid_stride<Max<float>>(const float*, float*, int, Workspace&);
template void grid_stride<Min<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Sum<long long>>(const int*, long long*, int, Workspace&);
template void warp_shuffle<Max<int>>(const int*, int*, int, Workspace&);
template void warp_shuffle<Min<int>>(const int*, int*, int, Workspace&);
template void warp_shuffle<Sum<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Max<float>>(const float*, float*, int, Workspace&);
template void warp_shuffle<Min<float>>(const float*, float*, int, Workspace&);
template void vectorized<Sum<long long>>(const int*, long long*, int, Workspace&);
template void vectorized<Max<int>>(const int*, int*, int, Workspace&);
template void vectorized<Min<int>>(const int*, int*, int, Workspace&);
template void vectorized<Sum<float>>(const float*, float*, int, Workspace&);
template void vectorized<Max<float>>(const float*, float*, int, Workspace&);
template void vectorized<Min<float>>(const float*, float*, int, Workspace&);
