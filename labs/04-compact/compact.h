// Lab 4, compact: the contract. What each task takes, gives, and may rely on.
//
// Compact keeps the elements that a predicate says yes to, in their order, and drops the others:
//     in  3 -1 7 0 -4 1      predicate x > 0      out  3 7 1      count  3
//
// In every task
//   d_in     n elements of device memory, 256-byte aligned. Read only: it is compared after the call.
//   d_out    room for n elements of device memory, 256-byte aligned, full of garbage; never overlaps d_in. The kept
//            elements go to d_out[0], d_out[1], ...; from d_out[count] on nothing may be written.
//   d_count  one int of device memory: how many were kept. It has to be written for n = 0, too.
//   n        0 <= n <= 2^26: then d_in, d_out and two arrays of n ints fit into the 2 GB of lab.toml's device_mb. For
//            n = 0 a launch of 0 blocks is an error: do not launch.
//   keep     the predicate. Call it as keep(x); make no new one, Keep{}(x), which has not the same state. It gives the
//            same answer however often it is asked.
//   work     temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count). Each
//            get() gives another array, yours until the task returns: call it once for an array that two launches use.
// A call may return before the device is done; it must leave no work on streams of its own.
// Graded as named at the end of compact.cu, with the predicates below.
#pragma once

#include "toolbox/basics.h"      // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/primitives.h"  // primitives::exclusive_sum(d_in, d_out, n, work): n counts become n + 1 offsets
#include "toolbox/relaxed.h"     // load_relaxed(), store_relaxed(): what blocks of one launch talk through, for task 4

// Task 1: a kernel asks the predicate, primitives::exclusive_sum says where things go, a kernel puts them there.
template <class Keep>
void three_kernels(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
                   Workspace& work);

// Task 2: answers and places of single elements never leave a block; only one count for each tile does.
template <class Keep>
void fused(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
           Workspace& work);

// Task 3: the same, and a warp counts by votes: no shared memory and no barrier.
template <class Keep>
void warp_ballot(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
                 Workspace& work);

// Task 4: one launch. Each element is read once, and written once if it is kept. In lab 3's terms, a tile's aggregate
// is how many of its own elements are kept, its inclusive prefix how many of these and of all elements before the tile.
template <class Keep>
void look_back(const typename Keep::type* d_in, typename Keep::type* d_out, int* d_count, int n, Keep keep,
               Workspace& work);

// ---- Predicates: any type with `type` and a const operator() that answers yes or no ----

// Cards are numbered as a new deck lies: 0 to 12 are clubs, 13 to 25 diamonds, then hearts, then spades.
struct IsDiamond {
    using type = unsigned char;
    __host__ __device__ bool operator()(unsigned char card) const { return card / 13 == 1; }
};

struct IsPositive {
    using type = int;
    __host__ __device__ bool operator()(int x) const { return x > 0; }
};

// A predicate with a state. No to NaN, which is above nothing.
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

// Yes to all, or to none. Graded from task 3 on.
struct Always {
    using type = int;
    bool answer;
    __host__ __device__ bool operator()(int) const { return answer; }
};
