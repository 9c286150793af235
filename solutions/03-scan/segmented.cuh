// Shared by rungs 4 and 5: what a segmented scan adds. Associative, and not commutative even if Op is.
#pragma once

#include "scan.h"

// A head in b cuts off all that came before it.
template <class Op>
__host__ __device__ typename Segmented<Op>::type Segmented<Op>::operator()(type a, type b) const {
    return {b.head ? b.value : Op()(a.value, b.value), a.head | b.head};
}

using SegmentedSum = Segmented<Sum<int>>;
using Pair = Headed<int>;
