// __shfl_sync(), __shfl_up_sync() and __shfl_down_sync() for any type whose size is a multiple of 4 bytes, such as a
// struct of two ints. All 32 lanes of the warp must call them together.
#pragma once

#ifdef __CUDACC__

#include <cstring>

constexpr unsigned kAllLanes = 0xffffffff;  // the mask of shuffles and votes in which all 32 lanes of a warp take part

// Applies `move`, a shuffle of one 32-bit word, to each word of the value.
template <class T, class Move>
__device__ T shuffle_words(T value, Move move) {
    static_assert(sizeof(T) % sizeof(unsigned) == 0);
    unsigned words[sizeof(T) / sizeof(unsigned)];
    std::memcpy(words, &value, sizeof value);
    for (unsigned& word : words) word = move(word);
    std::memcpy(&value, words, sizeof value);
    return value;
}

// The value of lane `lane`.
template <class T>
__device__ T shuffle(T value, int lane) {
    return shuffle_words(value, [=](unsigned word) { return __shfl_sync(kAllLanes, word, lane); });
}

// The value of the lane `distance` below (shuffle_up) or above (shuffle_down). A lane that has no such neighbour gets
// its own value back.
template <class T>
__device__ T shuffle_up(T value, int distance) {
    return shuffle_words(value, [=](unsigned word) { return __shfl_up_sync(kAllLanes, word, distance); });
}

template <class T>
__device__ T shuffle_down(T value, int distance) {
    return shuffle_words(value, [=](unsigned word) { return __shfl_down_sync(kAllLanes, word, distance); });
}

#endif
