// Shared by rungs 2 and 3: the rank of an element in another sorted array, by binary search.
#pragma once

#include "merge.h"

// How many of n sorted elements come before x. This is where x of a goes among those of b: behind none that is its
// equal.
template <class Order>
__device__ int count_before(const typename Order::type* sorted, int n, typename Order::type x) {
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

// How many of n sorted elements do not come after x. This is where x of b goes among those of a: behind all that are
// its equals. So no two elements get the same place.
template <class Order>
__device__ int count_not_after(const typename Order::type* sorted, int n, typename Order::type x) {
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
