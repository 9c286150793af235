// Lab 4, compact: the contract. What each task takes, returns, and may rely on.
//
// Compact keeps the elements that a predicate accepts, in their order, and drops the others:
//     in  3 -1 7 0 -4 1      predicate x > 0      out  3 7 1      count  3
#pragma once

#include "toolbox/basics.h"      // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/primitives.h"  // primitives::exclusive_sum(d_in, d_out, n, work): n counts become n + 1 offsets
#include "toolbox/relaxed.h"     // load_relaxed(), store_relaxed(): how blocks of one launch communicate, for task 4

// Task 1: one kernel calls the predicate, primitives::exclusive_sum computes the places, another kernel scatters.
template <class T, class Keep>
void three_kernels(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work);

// Task 2: answers and places of single elements never leave a block; only one count for each tile does.
template <class T, class Keep>
void fused(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work);

// Task 3: as task 2, but a warp counts by votes, without shared memory and without barriers.
template <class T, class Keep>
void warp_ballot(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work);

// Task 4: one launch, besides what clears its states. Each element is read once, and written once if it is kept.
template <class T, class Keep>
void look_back(const T* d_in, T* d_out, int* d_count, int n, Keep keep, Workspace& work);

// In every task
//   d_in     n elements of device memory, 256-byte aligned. Read only: the grader checks this.
//   d_out    room for n elements of device memory, 256-byte aligned, full of garbage; never overlaps d_in. The kept
//            elements go to d_out[0], d_out[1], ...; from d_out[count] on nothing may be written.
//   d_count  one int of device memory: how many elements were kept. Write it for n = 0, too.
//   n        0 <= n <= 2^26: then d_in, d_out and two arrays of n ints fit into the 2 GB of lab.toml's device_mb. A
//            launch of 0 blocks is an error: for n = 0, do not launch.
//   keep     the predicate. Call keep(x); a new one, Keep{}(x), would not have its state. It gives the same answer each
//            time you call it for the same element.
//   work     temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count). Each
//            get() returns another array, yours until the task returns. If two launches share one, keep the pointer.
// A call may return before the device is done; it must leave no work on streams of its own.
// What is graded: grading/instantiations.h, with the predicates below.

// ---- Predicates: any type with `type`, the elements' type, and a const operator() that answers yes or no ----

// Cards are numbered in the order of a new deck: 0 to 12 are clubs, 13 to 25 diamonds, then hearts, then spades.
struct IsDiamond {
    using type = unsigned char;
    __host__ __device__ bool operator()(unsigned char card) const { return card / 13 == 1; }
};

struct IsPositive {
    using type = int;
    __host__ __device__ bool operator()(int x) const { return x > 0; }
};

// A predicate with a state. It rejects NaN, which is above nothing.
struct IsAbove {
    using type = float;
    float threshold;
    __host__ __device__ bool operator()(float x) const { return x > threshold; }
};

// Elements of 8 bytes. Graded in task 4.
struct IsEven {
    using type = long long;
    __host__ __device__ bool operator()(long long x) const { return x % 2 == 0; }
};

// Accepts all elements, or none. Graded from task 3 on.
struct Always {
    using type = int;
    bool answer;
    __host__ __device__ bool operator()(int) const { return answer; }
};
