// Scans within a warp, for tasks 5 to 7: values go from register to register, through no memory and no barrier.
#pragma once

#include "toolbox/shuffle.h"

// Hillis and Steele's steps over the lanes.
template <class Op, class T = typename Op::type>
__device__ T inclusive_warp_scan(T value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        T left = shuffle_up(value, distance);
        if (lane >= distance) value = Op()(left, value);
    }
    return value;
}

// value(31) op ... op value(1) op value(0): lane 0 is the rightmost. Every lane gets the result.
template <class Op, class T = typename Op::type>
__device__ T reduce_backwards(T value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        T left = shuffle_down(value, distance);
        if (lane + distance < 32) value = Op()(left, value);
    }
    return shuffle(value, 0);
}
