// Lab 6, histogram: the contract. What each task takes, returns, and may rely on.
//
// A histogram counts how many values fall into each of several bins.
#pragma once

#include "toolbox/basics.h"  // todo(), CUDA_CHECK, ceil_div, Workspace

constexpr int kMostBins = 8192;        // their counters, and the one for values outside, take 32 KiB of shared memory
constexpr int kMostPrivateBins = 256;  // in tasks 2 and 3, where each thread has bins of its own

// ---- Tasks. T is the type of the values, Bins one of the kinds of bins below ----

// Task 1: each value adds 1 to its counter in global memory.
template <class T, class Bins>
void global_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace& work);

// Task 2: each thread counts its share in bins of its own, then adds these to d_counts by atomics.
template <class T, class Bins>
void thread_local_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace& work);

// Task 3: as 2, but the threads of a warp add up their bins first.
template <class T, class Bins>
void thread_local_reduce(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace& work);

// Task 4: each block counts its share in shared memory.
template <class T, class Bins>
void shared_atomics(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace& work);

// Task 5: as 4, with several copies of the bins in each block.
template <class T, class Bins>
void replicated(const T* d_in, int n, Bins bins, unsigned* d_counts, Workspace& work);

// Part of task 1: returns the bin b for which d_edges[b] <= value < d_edges[b + 1], or count if there is none. There
// are count + 1 edges, ascending, in device memory. Two equal edges enclose a bin that stays empty.
template <class T>
__device__ int find_bin(const T* d_edges, int count, T value);

// ---- Kinds of bins: bins(value) is the bin that a value belongs to, or bins.count for a value outside all bins ----

// An 8-bit image: a bin for each level, and nothing outside.
struct Levels {
    using type = unsigned char;
    int count = 256;
    __host__ __device__ int operator()(unsigned char level) const { return level; }
};

// `count` bins of equal width from low up to, but not including, high. low < high.
struct UniformInt {
    using type = int;
    int low, high, count;
    __host__ __device__ int operator()(int value) const {
        if (value < low || value >= high) return count;
        // The difference needs up to 32 bits, unsigned; multiplied by up to 2^13 bins, it needs 45.
        unsigned long long above = static_cast<unsigned>(value) - static_cast<unsigned>(low);
        return static_cast<int>(above * count / (static_cast<unsigned>(high) - static_cast<unsigned>(low)));
    }
};

// The same for float. These operations define the bin, so that it is the same on every machine.
struct UniformFloat {
    using type = float;
    float low, high;
    int count;
    float bins_per_unit;  // count / (high - low): one division in total, not one for each value
    __host__ __device__ int operator()(float value) const {
        if (!(value >= low && value < high)) return count;  // a NaN belongs to no bin
        int bin = static_cast<int>((value - low) * bins_per_unit);
        return bin < count ? bin : count - 1;  // just below `high`, the product may be rounded up to `count`
    }
};

// Bins between given edges.
struct Edges {
    using type = float;
    const float* d_edges;
    int count;
    __device__ int operator()(float value) const { return find_bin(d_edges, count, value); }
};

// ---- Given, for tasks 2 to 5: how a grid of any size visits all values ----
#ifdef __CUDACC__  // the runner's host C++ includes this file too

// Calls count(value) for this thread's share of the n values. All threads of a one-dimensional grid together visit each
// value once. A grid-stride loop of 16 bytes a load: neighbouring threads read neighbouring vectors (lab 1).
template <class T, class Count>
__device__ void for_each_value(const T* d_in, int n, Count count) {
    struct alignas(16) Vector {
        T item[16 / sizeof(T)];
    };
    constexpr int kSize = 16 / sizeof(T);
    int rank = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    int vectors = n / kSize;
    for (int i = rank; i < vectors; i += threads) {
        Vector v = reinterpret_cast<const Vector*>(d_in)[i];
        for (T value : v.item) count(value);
    }
    for (int i = vectors * kSize + rank; i < n; i += threads) count(d_in[i]);
}

#endif

// How many multiprocessors the GPU has.
inline int multiprocessors() {
    int device = 0, number = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&number, cudaDevAttrMultiProcessorCount, device));
    return number;
}

// ---- In every task ----
//   d_in      n values of device memory, 256-byte aligned. Read only: the grader checks this.
//   n         0 <= n <= 2^30: no counter overflows, and an int may run a little beyond n. For n = 0 all counters are 0,
//             and you have to write them; a launch of 0 blocks is an error.
//   bins      which bin a value belongs to: bins(value) is 0, 1, ..., bins.count - 1, or bins.count for values outside.
//             1 <= bins.count <= kMostBins; in tasks 2 and 3, bins.count <= kMostPrivateBins.
//   d_counts  bins.count + 1 counters of device memory, 256-byte aligned, full of garbage. d_counts[b] becomes the
//             number of values in bin b, and d_counts[bins.count] the number of values outside all bins.
//   work      temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count).
// A call may return before the device is done; it must leave no work on streams of its own.
// Counts are exact, so the order in which values are counted does not matter.
// Graded with all kinds of bins in tasks 1, 4 and 5, with Levels and UniformFloat in tasks 2 and 3.
