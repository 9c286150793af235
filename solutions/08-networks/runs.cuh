// Shared by tasks 3 to 5: the direction of a comparator in a bitonic network.
#pragma once

#include "networks.h"

// Runs of `size` places, a power of two, alternately ascend and descend. The run of the last element, at place `last`,
// ascends. Therefore a place behind it, which is empty or holds Order::last(), is always the upper place of a
// comparator that ascends, and nothing moves to it or from it: padding needs no memory, and cannot change places with
// an element that is its equal.
struct Runs {
    int size, last;
    __device__ bool descend_at(int i) const { return ((i ^ last) & size) != 0; }
};

template <class T>
__device__ T choose(bool first, T a, T b) {
    return first ? a : b;
}
// Member by member: for a whole struct the compiler would make a branch, and store only where the two change places.
__device__ inline Pair choose(bool first, Pair a, Pair b) { return {first ? a.key : b.key, first ? a.value : b.value}; }

// Orders a and b. Always writes both, and no branch depends on them: the same work for every input.
template <class Order, class T>
__device__ void compare_exchange(T& a, T& b, bool descend) {
    T low = a, high = b;
    bool swap = Order().before(high, low) != descend;
    a = choose(swap, high, low);
    b = choose(swap, low, high);
}
