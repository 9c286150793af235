// Shared by tasks 2 and 3: the rank of an element in another sorted array, by binary search.
#pragma once

#include "merge.h"

// How many of n sorted elements come before x. An element x of a goes there among b's: before all of its equals.
template <class Order, class T>
__device__ int count_before(const T* sorted, int n, T x) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (Order().before(sorted[middle], x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// How many of n sorted elements do not come after x. An element x of b goes there among a's: behind all of its equals.
// So no two elements get the same place.
template <class Order, class T>
__device__ int count_not_after(const T* sorted, int n, T x) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (!Order().before(x, sorted[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
