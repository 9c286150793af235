// Lab 10's variants, for its cases and its oracle. Trusted; host C++.
#pragma once

#include "grading/problem.h"

namespace radix {

using lab::DType;

// What is sorted: keys alone; keys with a value each in a second array; 64-bit words with the key in the upper half and
// its value in the lower one; or records, whose first word is the key.
enum class Element { key, pair, packed, record };
constexpr int kRecordWords = 8;  // of 4 bytes each

struct Variant {
    const char* name;
    DType dtype;  // of the keys; of packed elements and records, of their words
    Element element = Element::key;
    bool any_bits = false;  // may fewer bits than all decide?
};

inline constexpr Variant kVariants[] = {
    {"uint32", DType::u32, Element::key, true},
    {"r8_uint32", DType::u32, Element::key, true},  // eight bits a pass
    {"r4_uint32", DType::u32, Element::key, true},
    {"r2_uint32", DType::u32, Element::key, true},
    {"r1_uint32", DType::u32, Element::key, true},
    {"r8_packed", DType::u64, Element::packed},
    {"pairs_uint32", DType::u32, Element::pair, true},
    {"pairs_int32", DType::i32, Element::pair},
    {"pairs_float32", DType::f32, Element::pair},
    {"pairs_uint64", DType::u64, Element::pair, true},
    {"record_uint32", DType::u32, Element::record},
    {"keys_uint32", DType::u32, Element::key, true},
    {"keys_uint64", DType::u64, Element::key, true},
};

inline const Variant& variant_of(const lab::Instance& call) { return lab::variant_in(kVariants, call); }

}  // namespace radix
