// Lab 3, scan: the contract. What each task takes, gives, and may rely on.
//
// A scan replaces every element by the sum of all elements up to it. With + for "sum" and input a b c d:
//     inclusive:  a  a+b  a+b+c  a+b+c+d        exclusive:  0  a  a+b  a+b+c
//
// In every task
//   d_in    n elements of device memory, 256-byte aligned. Read only: it is compared after the call.
//   d_out   n elements of device memory, 256-byte aligned, full of garbage. Never overlaps d_in. Every element has to
//           be written, none beyond; what was written may be read again.
//   n       0 <= n <= 2^26: d_in, d_out and one more array like them fit into the 2 GB of lab.toml's device_mb, with
//           elements of 8 bytes too. For n = 0 nothing is written, and a launch of 0 blocks is an error: do not launch.
//   work    temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count). Each
//           get() gives another array, yours until the task returns.
// A call may return before the device is done; it must leave no work on streams of its own.
// int32 sums wrap around modulo 2^32, as the device's add does: the result is right whatever the order.
// Float sums may round in another order than the reference, and from run to run; every result must lie within
// gamma(64 + i / 1024) * (|x0| + ... + |xi|) of the true sum, gamma(d) = d u / (1 - d u), u = 2^-24: no element may
// pass through more than 64 + i / 1024 additions. (Adding one after the other takes i: more than this bound covers.)
#pragma once

#include "toolbox/basics.h"   // todo(), CUDA_CHECK, ceil_div, Workspace, Sum, Max
#include "toolbox/relaxed.h"  // load_relaxed(), store_relaxed(): what blocks of one launch talk through, for task 5

// Tasks 2 and 3 scan tiles: elements 0..1023, 1024..2047, ..., each tile by itself, the last one perhaps not full.
constexpr int kTile = 1024;

enum class Scan { inclusive, exclusive };

// Task 1: the inclusive sum of all n elements.
void naive(const int* d_in, int* d_out, int n, Workspace& work);

// Task 2: the inclusive sum of each tile: d_out[i] = d_in[first] + ... + d_in[i], first = i / kTile * kTile.
void hillis_steele(const int* d_in, int* d_out, int n, Workspace& work);

// Task 3: the exclusive sum of each tile: d_out[first] = 0.
void blelloch(const int* d_in, int* d_out, int n, Workspace& work);

// Task 4: the scan of all n elements, for any Op that is associative, op(op(a, b), c) = op(a, op(b, c)), and has an
// identity. Op need not be commutative: op(a, b) and op(b, a) may differ, so elements keep their order.
// Graded as named at the end of scan.cu: sums, maxima, Compose, Segmented<Sum<int>>.
template <Scan kind, class Op>
void block_sums(const typename Op::type* d_in, typename Op::type* d_out, int n, Workspace& work);

// Task 5: the same, reading the input once and writing the output once. The terms are Merrill and Garland's (2016): a
// tile's aggregate is the sum of its own elements (task 4's total), its exclusive prefix the sum of all elements before
// it, its inclusive prefix the two together.
template <Scan kind, class Op>
void look_back(const typename Op::type* d_in, typename Op::type* d_out, int n, Workspace& work);

// ---- Operators beyond Sum<T> and Max<T> (toolbox/basics.h): Op::type has 4 or 8 bytes ----

// The map x -> a * x + b on unsigned 32-bit integers.
struct alignas(8) Affine {
    unsigned a, b;
};

// First f, then g. With it, a scan solves x[i] = a[i] * x[i-1] + b[i], which looks as sequential as can be.
struct Compose {
    using type = Affine;
    __host__ __device__ static constexpr Affine identity() { return {1, 0}; }
    __host__ __device__ constexpr Affine operator()(Affine f, Affine g) const { return {g.a * f.a, g.a * f.b + g.b}; }
};

// Segments of any length in one array: an element whose head is 1 begins a new segment, and its scan starts afresh.
// A result's head says whether a segment has begun anywhere up to it; before the first head, all is one segment.
template <class T>
struct alignas(8) Headed {
    T value;
    int head;  // 0 or 1
};

template <class Op>
struct Segmented {
    using type = Headed<typename Op::type>;
    __host__ __device__ static constexpr type identity() { return {Op::identity(), 0}; }
    __host__ __device__ type operator()(type a, type b) const;  // yours to write, in scan.cu, with task 4
};
