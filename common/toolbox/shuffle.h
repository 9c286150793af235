// __shfl_sync() and its kin for any type that is a whole number of 32-bit words, such as a struct of two ints. All 32
// lanes of the warp take part.
#pragma once

#ifdef __CUDACC__

#include <cstring>

constexpr unsigned kAllLanes = 0xffffffff;

// Moves each word of the value by `move`, one of the functions below.
template <class T, class Move>
__device__ T shuffle_words(T value, Move move) {
    static_assert(sizeof(T) % sizeof(unsigned) == 0);
    unsigned part[sizeof(T) / sizeof(unsigned)];
    std::memcpy(part, &value, sizeof value);
    for (unsigned& word : part) word = move(word);
    std::memcpy(&value, part, sizeof value);
    return value;
}

// The value of lane `lane`.
template <class T>
__device__ T shuffle(T value, int lane) {
    return shuffle_words(value, [=](unsigned word) { return __shfl_sync(kAllLanes, word, lane); });
}

// The value of the lane `distance` below (shuffle_up) or above (shuffle_down); where there is none, the own value.
template <class T>
__device__ T shuffle_up(T value, int distance) {
    return shuffle_words(value, [=](unsigned word) { return __shfl_up_sync(kAllLanes, word, distance); });
}

template <class T>
__device__ T shuffle_down(T value, int distance) {
    return shuffle_words(value, [=](unsigned word) { return __shfl_down_sync(kAllLanes, word, distance); });
}

#endif
