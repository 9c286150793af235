// Lab 9, merge: the contract. What each task takes, gives, and may rely on.
//
// Merge makes one sorted array of two:
//     a  1 4 4 7      b  0 4 9      out  0 1 4 4 4 7 9
// It is stable: where neither of two elements comes before the other, as with the three 4s, those of a stand before
// those of b, and the elements of one side keep their order. With bare numbers nobody can tell; with pairs of key and
// value everybody can.
//
// In every task
//   d_a, d_b, d_in  device memory, 256-byte aligned: the input,
//                   in order where that is said. Read only: it is compared after the call.
//   d_out           n elements of device memory, 256-byte aligned, full of garbage; never overlaps an input. What was
//                   written may be read again.
//   n               0 <= n <= 2^26, all elements together: then input, output and one more array like them fit into the
//                   2 GB of lab.toml's device_mb, with elements of 8 bytes, too. For n = 0 nothing is written, and a
//                   launch of 0 blocks is an error: do not launch.
//   work            temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count).
//                   Each get() gives another array, yours until the task returns.
// A call may return before the device is done; it must leave no work on streams of its own.
// Any value may occur among the elements, any number of times; only NaN does not.
#pragma once

#include "toolbox/basics.h"  // todo(), CUDA_CHECK, ceil_div, Workspace

// ---- What comes before what: the same as in lab 8 ----

// Order::type is the type of the elements. before(a, b) is strict: nothing comes before itself, nor before its equal.
// last() is an element that comes before no other.
template <class T>
struct Ascending {
    using type = T;
    __host__ __device__ static constexpr T last() { return kGreatest<T>; }
    __host__ __device__ constexpr bool before(T a, T b) const { return a < b; }
};

template <class T>
struct Descending {
    using type = T;
    __host__ __device__ static constexpr T last() { return kLeast<T>; }
    __host__ __device__ constexpr bool before(T a, T b) const { return b < a; }
};

struct alignas(8) Pair {
    int key, value;
};

// Pairs by ascending key. The value goes with its key and says nothing about the order.
struct ByKey {
    using type = Pair;
    __host__ __device__ static constexpr Pair last() { return {kGreatest<int>, 0}; }
    __host__ __device__ constexpr bool before(Pair a, Pair b) const { return a.key < b.key; }
};

// ---- Tasks. Graded as named at the end of merge.cu ----

// Task 1: d_in is sorted in runs of `run` elements, 1 <= run <= 2^26; the last run may be shorter. Runs 0 and 1, 2 and
// 3, ... are merged, each pair to the places that it takes in d_in. A last run without a partner is copied. A thread
// for each pair.
template <class Order>
void one_thread_per_merge(const typename Order::type* d_in, typename Order::type* d_out, int n, int run,
                          Workspace& work);

// Tasks 2 to 4: d_a has na elements, d_b has nb, both sorted; either may be empty. d_out gets all na + nb.
//
// Task 2: a thread for each element. It finds the element's place by binary search in the other array.
template <class Order>
void rank_by_search(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                    typename Order::type* d_out, Workspace& work);

// Task 3: every k-th element of both arrays is a splitter. Its rank in the other array cuts both in two, so that
// splitters cut the whole into pieces; a block merges each piece in shared memory.
template <class Order>
void splitters(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
               typename Order::type* d_out, Workspace& work);

// Task 4: every k-th place of the *output* is a cut, found by binary search along a diagonal. All pieces are of one
// size, those of the blocks and those of the threads in a block.
template <class Order>
void merge_path(const typename Order::type* d_a, int na, const typename Order::type* d_b, int nb,
                typename Order::type* d_out, Workspace& work);

// Task 5: d_in in any order; d_out gets it sorted, and equal elements keep their order. Small runs by a network in
// registers, larger ones by merges within a block, the largest by merges that all blocks share.
template <class Order>
void merge_sort(const typename Order::type* d_in, typename Order::type* d_out, int n, Workspace& work);
