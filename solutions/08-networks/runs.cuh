// Shared by rungs 3 to 5: which way a comparator of a bitonic network points.
#pragma once

#include "networks.h"

// Runs of `size` neighbours, a power of two, are being sorted, turn by turn ascending and descending; `last` is the
// index of the last element that there is. The run that it lies in ascends. So places behind it, which hold nothing or
// Order::last(), are only ever on the upper side of a comparator that ascends, and nothing moves there or from there:
// padding needs no room in memory, and cannot take the place of an element that is its equal.
struct Runs {
    int size, last;
    __device__ bool descend_at(int i) const { return ((i ^ last) & size) != 0; }
};

template <class T>
__device__ T choose(bool first, T a, T b) {
    return first ? a : b;
}
// Member by member: to choose between two structs, the compiler makes a branch, and stores only where they change
// places.
__device__ inline Pair choose(bool first, Pair a, Pair b) { return {first ? a.key : b.key, first ? a.value : b.value}; }

// Orders a and b. Both are written whatever happens, and no branch depends on them: the same work for every input.
template <class Order>
__device__ void compare_exchange(typename Order::type& a, typename Order::type& b, bool descend) {
    typename Order::type low = a, high = b;
    bool swap = Order().before(high, low) != descend;
    a = choose(swap, high, low);
    b = choose(swap, low, high);
}
