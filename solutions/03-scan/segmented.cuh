// Shared by the tasks from block_sums on: what a segmented scan adds. Associative, and not commutative even if Op is.
#pragma once

#include "scan.h"

// A head in b cuts off all that came before it.
template <class Op, class T>
__host__ __device__ Headed<T> join_segments(Headed<T> a, Headed<T> b) {
    return {b.head ? b.value : Op()(a.value, b.value), a.head | b.head};
}

using SegmentedSum = Segmented<Sum<int>>;
using Pair = Headed<int>;
