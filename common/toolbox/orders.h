// Orders: what comes before what, for labs that sort and merge.
//
// Order::type is the type of the elements. before(a, b) is strict: no element comes before itself or before its equal.
// last() is an element that comes before no other.
#pragma once

#include "toolbox/basics.h"

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

// Pairs by ascending key. The value stays with its key and has no influence on the order.
struct ByKey {
    using type = Pair;
    __host__ __device__ static constexpr Pair last() { return {kGreatest<int>, 0}; }
    __host__ __device__ constexpr bool before(Pair a, Pair b) const { return a.key < b.key; }
};
