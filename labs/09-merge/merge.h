// Lab 9, merge: the contract. What each task takes, what it returns, and what it may rely on.
//
// A merge makes one sorted array out of two:
//     a  1 4 4 7      b  0 4 9      out  0 1 4 4 4 7 9
// It is stable: if neither of two elements comes before the other, like the three 4s, a's elements go before b's, and
// the elements of one side keep their order. With plain numbers nobody can tell; with pairs of key and value everybody
// can. What holds in every task (sizes, memory) is at the end of this file.
#pragma once

#include "toolbox/basics.h"  // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/orders.h"  // Ascending, Descending, ByKey: what comes before what, as in lab 8

// ---- Tasks. grading/instantiations.h says which orders are graded. ----

// Task 1: a thread for each pair of runs. d_in is sorted in runs of `run` elements, 1 <= run <= 2^26; the last run may
// be shorter. Runs 0 and 1, 2 and 3, ... are merged, each pair to the places that it has in d_in. A last run without a
// partner is copied.
template <class Order, class T = typename Order::type>
void one_thread_per_merge(const T* d_in, T* d_out, int n, int run, Workspace& work);

// Tasks 2 to 4: d_a has na elements, d_b has nb, both sorted; either may be empty. d_out gets all n = na + nb.
//
// Task 2: a thread for each element, which finds its place by binary search in the other array.
template <class Order, class T = typename Order::type>
void rank_by_search(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work);

// Task 3: every k-th element of both arrays is a splitter. A splitter and its rank in the other array cut both arrays
// in two, so splitters cut them into pieces; a block merges each piece in shared memory.
template <class Order, class T = typename Order::type>
void splitters(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work);

// Task 4: every k-th place of the *output* is a cut, found by binary search along a diagonal. All pieces have the same
// size: those of the blocks, and those of the threads in a block.
template <class Order, class T = typename Order::type>
void merge_path(const T* d_a, int na, const T* d_b, int nb, T* d_out, Workspace& work);

// Task 5: d_in is in any order. d_out gets it sorted, and equal elements keep their order. Small runs by a network in
// registers, larger ones by merges within a block, the largest by merges that all blocks share.
template <class Order, class T = typename Order::type>
void merge_sort(const T* d_in, T* d_out, int n, Workspace& work);

// ---- In every task ----
// d_a, d_b, d_in  device memory, 256-byte aligned. Read only: the grader checks this.
// d_out           n elements of device memory, 256-byte aligned, full of garbage at first; never overlaps an input. You
//                 may read again what you have written.
// n               0 <= n <= 2^26, all elements together: input, output and one more array of that size fit into the
//                 2 GB of lab.toml's device_mb, even with elements of 8 bytes. For n = 0 nothing is written, and a
//                 launch of 0 blocks is an error: do not launch.
// work            temporary device memory, allocated before the clock starts and full of garbage: work.get<int>(count).
//                 Each get() returns another array, yours until the task returns.
// A call may return before the device has finished. It must leave no work on streams of its own.
// Any value may occur among the elements, any number of times, except NaN.
