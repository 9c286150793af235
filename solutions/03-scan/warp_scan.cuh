// Scans within a warp for rung 5: values go from register to register, through no memory and no barrier.
#pragma once

#include <cstring>

constexpr unsigned kAllLanes = 0xffffffff;

// Shuffles of any type that is a whole number of 32-bit words.
template <class T, class Move>
__device__ T shuffle_words(T value, Move move) {
    unsigned part[sizeof(T) / 4];
    std::memcpy(part, &value, sizeof value);
    for (unsigned& word : part) word = move(word);
    std::memcpy(&value, part, sizeof value);
    return value;
}

template <class T>
__device__ T shuffle(T value, int lane) {
    return shuffle_words(value, [=](unsigned word) { return __shfl_sync(kAllLanes, word, lane); });
}

template <class T>
__device__ T shuffle_up(T value, int distance) {
    return shuffle_words(value, [=](unsigned word) { return __shfl_up_sync(kAllLanes, word, distance); });
}

template <class T>
__device__ T shuffle_down(T value, int distance) {
    return shuffle_words(value, [=](unsigned word) { return __shfl_down_sync(kAllLanes, word, distance); });
}

// Hillis and Steele's steps over the lanes.
template <class Op>
__device__ typename Op::type inclusive_warp_scan(typename Op::type value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        auto left = shuffle_up(value, distance);
        if (lane >= distance) value = Op()(left, value);
    }
    return value;
}

// value(31) op ... op value(1) op value(0): lane 0 is the rightmost. Every lane gets the result.
template <class Op>
__device__ typename Op::type reduce_backwards(typename Op::type value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        auto left = shuffle_down(value, distance);
        if (lane + distance < 32) value = Op()(left, value);
    }
    return shuffle(value, 0);
}
