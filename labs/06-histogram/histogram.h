// Lab 6, histogram: the contract. What each task takes, gives, and may rely on.
//
// A histogram counts how many values fall into each of some bins.
//
// In every task
//   d_in      n values of device memory, 256-byte aligned. Read only: it is compared after the call.
//   n         0 <= n <= 2^30: no counter overflows, and an int may run a little beyond n. For n = 0 all counters are 0,
//             and have to be written all the same; a launch of 0 blocks is an error.
//   bins      which bin a value belongs to, see below: bins(value) is 0, 1, ..., bins.count - 1, or bins.count for one
//             that belongs to none. 1 <= bins.count <= kMostBins; tasks 2 and 3: <= kMostPrivateBins.
//   d_counts  bins.count + 1 counters of device memory, 256-byte aligned, full of garbage. d_counts[b] is to become the
//             number of values in bin b; the last one, d_counts[bins.count], that of the values outside all bins.
//   work      temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count).
// A call may return before the device is done; it must leave no work on streams of its own.
// Counts are exact, and the same whatever the order in which values are counted.
#pragma once

#include "toolbox/basics.h"  // todo(), CUDA_CHECK, ceil_div, Workspace

constexpr int kMostBins = 8192;        // as many counters as 32 KiB of shared memory hold, and the one for outside
constexpr int kMostPrivateBins = 256;  // in tasks 2 and 3, where each thread has bins of its own

// ---- Which bin a value belongs to ----

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
        // The difference of two ints can need 32 bits without a sign, and up to 2^13 bins make it 45.
        unsigned long long above = static_cast<unsigned>(value) - static_cast<unsigned>(low);
        return static_cast<int>(above * count / (static_cast<unsigned>(high) - static_cast<unsigned>(low)));
    }
};

// The same for float. The bin is defined by these very operations, so that it is the same on every machine.
struct UniformFloat {
    using type = float;
    float low, high;
    int count;
    float bins_per_unit;  // count / (high - low): one division in all, not one for each value
    __host__ __device__ int operator()(float value) const {
        if (!(value >= low && value < high)) return count;  // a NaN is no value of any bin
        int bin = static_cast<int>((value - low) * bins_per_unit);
        return bin < count ? bin : count - 1;  // just below `high` the product may be rounded up to `count`
    }
};

// Bins between given edges: value belongs to bin b if d_edges[b] <= value < d_edges[b + 1].
struct Edges {
    using type = float;
    const float* d_edges;  // count + 1 of them, ascending, in device memory. Equal ones: a bin that stays empty.
    int count;
    __device__ int operator()(float value) const;  // yours to write, in histogram.cu, with task 1
};

// ---- Tasks ----
// Bins is one of the above. Graded as named at the end of histogram.cu: tasks 1, 4 and 5 with all four, tasks 2 and 3
// with Levels and UniformFloat.

// Task 1: each value adds 1 to its counter in global memory.
template <class Bins>
void global_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace& work);

// Task 2: each thread counts its share in bins of its own, then adds them to the common ones by atomics.
template <class Bins>
void thread_local_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace& work);

// Task 3: as 2, but threads add up their bins among themselves first.
template <class Bins>
void thread_local_reduce(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace& work);

// Task 4: each block counts its share in shared memory.
template <class Bins>
void shared_atomics(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace& work);

// Task 5: as 4, with several copies of the bins in each block.
template <class Bins>
void replicated(const typename Bins::type* d_in, int n, Bins bins, unsigned* d_counts, Workspace& work);

// ---- Given: how a grid of any size goes over all values, for tasks 2 to 5 ----
#ifdef __CUDACC__  // the runner's host C++ includes this file too

// Calls count(value) for this thread's share of the n values. All threads of a one-dimensional grid together come to
// each value once. A grid-stride loop of 16 bytes a load: neighbouring threads read neighbouring vectors (lab 1).
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
