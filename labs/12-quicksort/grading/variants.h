// Lab 12's variants, for its cases and its oracle. Trusted; host C++.
#pragma once

#include <cstddef>

#include "grading/problem.h"

namespace quicksort {

using lab::DType;

struct Variant {
    const char* name;
    DType dtype;
    std::size_t numbers = 1;  // that an element consists of: a pair is a key and a value
    bool is_pairs() const { return numbers == 2; }
};

inline constexpr Variant kVariants[] = {{"int32", DType::i32}, {"int64", DType::i64}, {"pairs_int32", DType::i32, 2}};

inline const Variant& variant_of(const lab::Instance& call) { return lab::variant_in(kVariants, call); }

}  // namespace quicksort
