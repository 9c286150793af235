// Lab 12, quicksort: the contract. What each task takes, gives, and may rely on.
//
// Quicksort picks one key as the pivot, puts the smaller ones in front of it and the greater ones behind it, and does
// the same with either side. Here kernels do it, and kernels start the kernels for the sides.
//     4 1 5 3 4 2 0      pivot 3:  1 2 0 | 3 | 4 5 4      then 1 2 0 and 4 5 4, at the same time
//
// In every task
//   d_in       n elements of device memory, 256-byte aligned. Read only: it is compared after the call.
//   d_out      n elements of device memory, 256-byte aligned, full of garbage. Never overlaps d_in. Gets the elements
//              of d_in in ascending order; none beyond is written. What was written may be read again.
//   n          0 <= n <= 2^26; any n. For n = 0 nothing is written; a launch of 0 blocks is an error: do not launch.
//   work       temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count).
// Elements may be in any order already, equal, or alike but for one; whatever they are, the time must not be quadratic.
// A call may return before the device is done, children of its kernels included; it must leave no work on host streams
// of its own.
//
// Tasks 1 and 2 launch kernels from kernels (CUDA's dynamic parallelism).
//   max_depth  how deep kernels may be nested, 0 <= max_depth <= 20. The kernel that the host launches has depth 0, its
//              children have depth 1. A kernel of depth max_depth launches none, and sorts what it has without: for 0
//              that is everything. (CUDA itself ends at a depth of 24.)
//   Launches   may fail. A launch waits for a place on the device, and only so many can wait: 2048 at first, fewer in
//              some calls of the grader; the next one fails with cudaErrorLaunchPendingCountExceeded. After each
//              launch a kernel asks cudaGetLastError(), which the host cannot do for it; a range whose child was not
//              launched is not lost. Leave the limits of the device as they are.
//   Order      A child sees what its parent's thread wrote before the launch, and what the block's other threads wrote
//              before a barrier that comes before the launch. Nothing orders what a parent does after the launch: a
//              kernel cannot wait for its children. It has ended when they have.
//   Streams    Launches of one block into one stream run one after the other, and the null stream is one. A stream made
//              in a kernel (cudaStreamCreateWithFlags, cudaStreamNonBlocking) is destroyed there; this may be done
//              while a launch is on it. cudaStreamFireAndForget is no stream: a launch into it waits for nothing.
//
// primitives::segmented_inclusive_sum and its sisters are ready-made. primitives::sort_keys and sort_pairs are not:
// they are what you write here, and a program of this lab that calls them does not link.
#pragma once

#include "toolbox/basics.h"      // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/primitives.h"  // primitives::segmented_inclusive_sum()

// Task 1: one thread partitions a range in place, and launches a child of one thread for either side, each into a
// stream of its own. Small ranges it sorts itself.
void one_thread(const int* d_in, int* d_out, int n, int max_depth, Workspace& work);

// Task 2: a block partitions a range, from one array into the other; small ranges it sorts in shared memory.
void block_partition(const int* d_in, int* d_out, int n, int max_depth, Workspace& work);

// Task 3: no kernel launches another. All ranges are partitioned in one round, by segmented scans.
void segmented_scan(const int* d_in, int* d_out, int n, Workspace& work);

// A key that takes a value along. Pairs of equal keys may come out in any order.
struct alignas(8) Pair {
    int key, value;
    __host__ __device__ friend bool operator<(Pair a, Pair b) { return a.key < b.key; }
};

// Task 4: many ways at once, between splitters from a sample. Elements are compared by a < b and by nothing else. T is
// int, long long or Pair, as named at the end of quicksort.cu.
template <class T>
void sample_partition(const T* d_in, T* d_out, int n, Workspace& work);
