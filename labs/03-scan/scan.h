// Lab 3, scan: the contract. What each task takes, returns, and may rely on.
//
// A scan replaces every element by the sum of all elements up to it. With + for "sum" and input a b c d:
//     inclusive:  a  a+b  a+b+c  a+b+c+d        exclusive:  0  a  a+b  a+b+c
//
// In every task
//   d_in    n elements of device memory, 256-byte aligned. Read only: the grader checks this.
//   d_out   n elements of device memory, 256-byte aligned, full of garbage. Never overlaps d_in. Write every element,
//           and none beyond. You may read what you have written.
//   n       0 <= n <= 2^26. For n = 0 there is nothing to write, and a launch of 0 blocks is an error: do not launch.
//   work    temporary device memory, allocated before the clock starts, full of garbage: work.get<int>(count). Each
//           get() returns another array, yours until the task returns. One more array like d_out always fits.
// A call may return before the device is done; it must leave no work on streams of its own.
// Sums of int32 and int64 wrap around. Sums of floats may be rounded; the bound is at the end of this file.
#pragma once

#include "toolbox/basics.h"   // todo(), CUDA_CHECK, ceil_div, Workspace, Sum, Max
#include "toolbox/relaxed.h"  // load_relaxed(), store_relaxed(): how blocks of one launch communicate, in tasks 6 and 7

// Tasks 2 and 3 scan tiles: elements 0..1023, 1024..2047, ..., each tile by itself. The last one may not be full.
constexpr int kTile = 1024;

enum class Scan { inclusive, exclusive };

// Task 1: the inclusive sum of all n elements.
void naive(const int* d_in, int* d_out, int n, Workspace& work);

// Task 2: the inclusive sum of each tile: d_out[i] = d_in[first] + ... + d_in[i], first = i / kTile * kTile.
void hillis_steele(const int* d_in, int* d_out, int n, Workspace& work);

// Task 3: the exclusive sum of each tile: d_out[first] = 0.
void blelloch(const int* d_in, int* d_out, int n, Workspace& work);

// Tasks 4 to 7: the scan of all n elements, for any operator Op that is associative, op(op(a, b), c) = op(a, op(b, c)),
// and has an identity. Op need not be commutative: op(a, b) and op(b, a) may differ, so the left operand stays left.
// T is Op::type, which has 4 or 8 bytes. Apply an operator as Op()(a, b); its identity is Op::identity().
template <Scan kind, class Op, class T = typename Op::type>
void block_sums(const T* d_in, T* d_out, int n, Workspace& work);

// Task 5: reads the input twice and writes the output once.
template <Scan kind, class Op, class T = typename Op::type>
void reduce_then_scan(const T* d_in, T* d_out, int n, Workspace& work);

// Tasks 6 and 7: read the input once and write the output once, in one launch, whatever order blocks start in.
template <Scan kind, class Op, class T = typename Op::type>
void look_back(const T* d_in, T* d_out, int n, Workspace& work);
template <Scan kind, class Op, class T = typename Op::type>
void pipelined(const T* d_in, T* d_out, int n, Workspace& work);

// ---- Operators besides Sum<T> and Max<T> (toolbox/basics.h) ----

// The map x -> a * x + b on unsigned 32-bit integers.
struct alignas(8) Affine {
    unsigned a, b;
};

// First f, then g. With it, a scan solves x[i] = a[i] * x[i-1] + b[i].
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

// The sum of two such elements, a before b, by Op. You write it, in scan.cu, with task 4.
template <class Op, class T = typename Op::type>
__host__ __device__ Headed<T> join_segments(Headed<T> a, Headed<T> b);

template <class Op>
struct Segmented {
    using type = Headed<typename Op::type>;
    __host__ __device__ static constexpr type identity() { return {Op::identity(), 0}; }
    __host__ __device__ type operator()(type a, type b) const { return join_segments<Op>(a, b); }
};

// ---- How exact a float sum has to be ----
// You may add in any order, and in a different order in each run. Result i must lie within
//     gamma(64 + i / 1024) * (|x0| + ... + |xi|),    gamma(d) = d u / (1 - d u),    u = 2^-24
// of the true sum. So no element may pass through more than 64 + i / 1024 additions. A scan by tiles needs fewer;
// adding one element after the other takes i of them.
