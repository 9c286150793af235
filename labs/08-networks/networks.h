// Lab 8, sorting networks: the contract. What each task takes, what it returns, and what it may rely on.
//
// A comparator compares two places and puts the element that comes first into the lower place. A network is a list of
// comparators that depends on n alone: whatever the elements are, the same places are compared in the same order. This
// is called oblivious. What holds in every task (sizes, memory, equal elements) is at the end of this file.
#pragma once

#include <vector>

#include "toolbox/basics.h"  // todo(), CUDA_CHECK, ceil_div, Workspace
#include "toolbox/orders.h"  // Ascending, Descending, ByKey: what comes before what

// In this lab every float has a place, NaN too: -NaN, -infinity, ..., -0, +0, ..., infinity, NaN (totalOrder of IEEE
// 754). With a < b alone, a NaN would come neither before nor after any element, and its neighbours would stay
// unsorted.
template <>
struct Ascending<float> {
    using type = float;
    __host__ __device__ static constexpr float last() { return __builtin_bit_cast(float, 0x7fffffff); }  // a NaN
    __host__ __device__ constexpr bool before(float a, float b) const { return rank(a) < rank(b); }
    // A float's bits are its sign and its magnitude, so the order of the negative ones has to be reversed.
    __host__ __device__ static constexpr int rank(float x) {
        int bits = __builtin_bit_cast(int, x);
        return bits ^ ((bits >> 31) & 0x7fffffff);
    }
};

// ---- Tasks ----

// Compares places low < high; the element that comes first goes to low.
struct Comparator {
    int low, high;
};

// Task 1: every four neighbours, 0..3, 4..7, ..., in ascending order; the last group may have fewer than four.
void four_inputs(const int* d_in, int* d_out, int n, Workspace& work);

// The network that task 1 uses, its comparators in their order: for the proof in networks_test.cc.
std::vector<Comparator> network_of_four();

// Tasks 2 and 3 sort tiles: elements 0..1023, 1024..2047, ..., each tile by itself; the last one may not be full.
constexpr int kTile = 1024;

// Task 2: each tile in ascending order, by comparators of neighbours. all: as many phases as the tile has elements.
// until_sorted: stops once the tile is sorted; this is no longer a network.
enum class Phases { all, until_sorted };
template <Phases phases>
void odd_even(const int* d_in, int* d_out, int n, Workspace& work);

// Task 3: each tile, by a bitonic network. In tasks 3 to 5, grading/instantiations.h says which orders are graded.
template <class Order, class T = typename Order::type>
void bitonic_block(const T* d_in, T* d_out, int n, Workspace& work);

// Task 4: all n elements, by a bitonic network.
template <class Order, class T = typename Order::type>
void bitonic_global(const T* d_in, T* d_out, int n, Workspace& work);

// Task 5: the same, but a thread keeps several elements in registers, and a warp exchanges elements by shuffles.
template <class Order, class T = typename Order::type>
void bitonic_registers(const T* d_in, T* d_out, int n, Workspace& work);

// ---- Given, for task 5 ----
#ifdef __CUDACC__

// The value of the lane whose number differs in the bits of `mask`. All 32 lanes of the warp must call it.
template <class T>
__device__ T shuffle_xor(T value, int mask) {
    return __shfl_xor_sync(0xffffffff, value, mask);
}
__device__ inline Pair shuffle_xor(Pair pair, int mask) {
    return {shuffle_xor(pair.key, mask), shuffle_xor(pair.value, mask)};
}

#endif

// ---- In every task ----
// d_in    n elements of device memory, 256-byte aligned. Read only: the grader checks this.
// d_out   n elements of device memory, 256-byte aligned, full of garbage at first. Never overlaps d_in. Gets the
//         elements of d_in, sorted; nothing after them is written. You may read again what you have written.
// n       0 <= n <= 2^26: d_in, d_out and one more array of that size fit into the 2 GB of lab.toml's device_mb, even
//         with elements of 8 bytes. For n = 0 nothing is written, and a launch of 0 blocks is an error: do not launch.
// work    temporary device memory, allocated before the clock starts and full of garbage: work.get<int>(count).
// A call may return before the device has finished. It must leave no work on streams of its own.
// Any value may occur among the elements, any number of times, including the value that you pad with.
// Elements of which neither comes before the other, such as pairs with equal keys, may come out in any order.
