// Tasks 3 and 5: keys of any type, sorted by unsigned words that ascend as the keys do (see radix.h).
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

// The inverse: the key that has an order word. The second argument only says the key's type.
__device__ inline unsigned key_of(unsigned word, unsigned) { return word; }
__device__ inline unsigned long long key_of(unsigned long long word, unsigned long long) { return word; }
__device__ inline int key_of(unsigned word, int) { return static_cast<int>(word ^ 0x80000000); }
__device__ inline float key_of(unsigned word, float) {
    return __uint_as_float(word ^ ((word & 0x80000000) != 0 ? 0x80000000 : 0xffffffff));
}

// The key that no other one follows: all bits of its order word are 1.
template <class Key>
__device__ Key last_key() {
    auto word = order_word(Key{});
    return key_of(word | ~word, Key{});
}

// A digit of a key's order word.
struct OrderedDigit : Digit {
    template <class Key>
    __device__ unsigned of(Key key) const {
        return Digit::of(order_word(key));
    }
};
