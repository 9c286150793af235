// Rungs 3 and 5: keys of any type, sorted by unsigned words that ascend as the keys do (see radix.h).
#pragma once

#include "passes.cuh"

__device__ inline unsigned order_word(unsigned key) { return key; }
__device__ inline unsigned long long order_word(unsigned long long key) { return key; }
__device__ inline unsigned order_word(int key) { return static_cast<unsigned>(key) ^ 0x80000000; }
// A float is a sign and a magnitude. Below zero all bits are flipped, so that the greater magnitude comes first.
__device__ inline unsigned order_word(float key) {
    unsigned bits = __float_as_uint(key);
    return bits ^ ((bits & 0x80000000) != 0 ? 0xffffffff : 0x80000000);
}

// A digit of a key's order word.
struct OrderedDigit : Digit {
    template <class Key>
    __device__ unsigned of(Key key) const {
        return Digit::of(order_word(key));
    }
};
