// What the rungs share: the order of keys, and the arrays that passes read and write in turn.
#pragma once

#include <utility>

#include "radix.h"

// The unsigned word by which a key is sorted: see radix.h.
__device__ inline unsigned order_word(unsigned key) { return key; }
__device__ inline unsigned long long order_word(unsigned long long key) { return key; }
__device__ inline unsigned order_word(int key) { return static_cast<unsigned>(key) ^ 0x80000000; }
// Floats are sign and magnitude: below zero all bits change, so that the greater magnitude comes first.
__device__ inline unsigned order_word(float key) {
    unsigned bits = __float_as_uint(key);
    return bits ^ ((bits & 0x80000000) != 0 ? 0xffffffff : 0x80000000);
}

// Which bits of the order word a pass looks at: `count` bits from `begin` on.
struct Digit {
    int begin, count;

    template <class Key>
    __device__ unsigned of(Key key) const {
        return static_cast<unsigned>(order_word(key) >> begin) & ((1u << count) - 1);
    }
};

// The array that a pass reads and the one that it writes. Two take turns, so that the last of `passes` writes d_out.
// Without an input there is nothing to read or write.
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
