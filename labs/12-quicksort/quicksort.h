// Lab 12, quicksort: the contract. Declarations first, then what you may rely on.
//
// Quicksort chooses one key as the pivot, puts smaller keys before it and greater ones after it, and does the same
// with both sides. Here kernels do it, and kernels launch the kernels for the sides.
//     4 1 5 3 4 2 0      pivot 3:  1 2 0 | 3 | 4 5 4      then 1 2 0 and 4 5 4, at the same time
#pragma once

#include "toolbox/basics.h"      // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/primitives.h"  // primitives::segmented_inclusive_sum()

// Task 1: one thread partitions a range in place. It launches a child of one thread for each side, each into a stream
// of its own, and sorts small ranges itself.
void one_thread(const int* d_in, int* d_out, int n, int max_depth, Workspace& work);

// Task 2: a block partitions a range from one array into another. It sorts small ranges in shared memory.
void block_partition(const int* d_in, int* d_out, int n, int max_depth, Workspace& work);

// Task 3: no kernel launches another. A round partitions all ranges at once, by segmented scans.
void segmented_scan(const int* d_in, int* d_out, int n, Workspace& work);

// A key with a value. Pairs with equal keys may come out in any order.
struct alignas(8) Pair {
    int key, value;
    __host__ __device__ friend bool operator<(Pair a, Pair b) { return a.key < b.key; }
};

// Task 4: many ways at once, between splitters from a sample. Compare elements by a < b and by nothing else. T is int,
// long long or Pair.
template <class T>
void sample_partition(const T* d_in, T* d_out, int n, Workspace& work);

// ---- What you may rely on, in every task ----
//
// d_in     n elements of device memory, 256-byte aligned. Read only: the grader checks that they did not change.
// d_out    room for n elements of device memory, 256-byte aligned, full of garbage; never overlaps d_in. It gets the
//          elements of d_in in ascending order. You may read what you have written, and write nothing beyond.
// n        0 <= n <= 2^26, and not only powers of two. A launch of 0 blocks is an error: for n = 0 do not launch.
// work     temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count).
// Time     must not be quadratic for any input: sorted elements, equal elements, all equal but one.
// Return   A call may return while the device is busy, even with children of its kernels. It must leave no work on host
//          streams of its own.
// Sorts    are what you write here: primitives_sort.h may not be included, and is not linked. The scans are there to
//          use.
//
// ---- Kernels that launch kernels (CUDA's dynamic parallelism), tasks 1 and 2 ----
//
// max_depth  how deep kernels may be nested, 0 <= max_depth <= 20. The kernel that the host launches has depth 0, its
//            children have depth 1. A kernel of depth max_depth must not launch: it sorts its range without children.
//            If max_depth is 0, that is the whole array. (CUDA's own limit is a depth of 24.)
// Failure    A launch may fail. Launches wait for room on the device, and only a limited number can wait: 2048 usually,
//            fewer in some calls of the grader. The next one fails with cudaErrorLaunchPendingCountExceeded. The host
//            cannot see this error: a kernel calls cudaGetLastError() after each launch, and a range whose child was
//            not launched must still be sorted. Do not change the limits of the device.
// Order      A child sees what its parent's thread wrote before the launch, and what the block's other threads wrote
//            before a barrier that precedes the launch. What a parent does after the launch is not ordered with its
//            child. A kernel cannot wait for its children, but it counts as finished only when they are.
// Streams    Launches by one block into one stream run one after the other; this includes the null stream. Create a
//            stream in the kernel with cudaStreamCreateWithFlags and cudaStreamNonBlocking, and destroy it there, even
//            while a launch is on it. Launches into cudaStreamFireAndForget wait for nothing and need no stream.
