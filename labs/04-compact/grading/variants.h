// Lab 4's variants, for its cases, oracle and bindings. Trusted; host C++.
#pragma once

#include "grading/problem.h"

namespace compact {

using lab::DType;

// Which elements the predicate keeps.
enum class Keep { positive, diamonds, above, even, all, none };
// The threshold of `above`. It is not 0, so a predicate that lost its state gives a wrong result. It is below 0, so a
// tile that is padded with 0 and asks its padding gives one, too.
constexpr float kThreshold = -0.5f;

struct Variant {
    const char* name;
    DType dtype;
    Keep keep;
};

inline constexpr Variant kVariants[] = {
    {"positive_int32", DType::i32, Keep::positive}, {"diamonds_uint8", DType::u8, Keep::diamonds},
    {"above_float32", DType::f32, Keep::above},     {"even_int64", DType::i64, Keep::even},
    {"all_int32", DType::i32, Keep::all},           {"none_int32", DType::i32, Keep::none},
};

inline const Variant& variant_of(const lab::Instance& call) { return lab::variant_in(kVariants, call); }

}  // namespace compact
