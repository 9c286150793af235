// What all tasks but by_index use: the digit that a pass looks at, and the arrays that passes read and write in turn.
#pragma once

#include <utility>

#include "radix.h"

// `count` bits of a word, from bit `begin` up.
struct Digit {
    int begin, count;

    template <class Word>
    __device__ unsigned of(Word word) const {
        return static_cast<unsigned>(word >> begin) & ((1u << count) - 1);
    }
};

// The array that a pass reads and the one that it writes. The two swap after each pass, and the last of `passes` writes
// d_out. d_in and d_out may both be null: then nothing is allocated.
template <class T>
struct Turns {
    const T* d_from;
    T *d_to, *d_other = nullptr;

    Turns(const T* d_in, T* d_out, int n, int passes, Workspace& work) : d_from(d_in), d_to(d_out) {
        if (d_in != nullptr && passes > 1) d_other = work.get<T>(n);
        if (passes % 2 == 0) std::swap(d_to, d_other);
    }
    void next() {
        d_from = d_to;
        std::swap(d_to, d_other);
    }
};
