// Lab 2's variants, for its cases and its oracle. Trusted; host C++.
#pragma once

#include "grading/problem.h"

namespace reduce {

using lab::DType;

enum class Op { sum, max, min };

struct Variant {
    const char* name;
    DType dtype;
    Op op;
    DType result;
};

inline constexpr Variant kVariants[] = {
    {"sum_int32", DType::i32, Op::sum, DType::i64},  // no sum of 2^26 of them overflows
    {"max_int32", DType::i32, Op::max, DType::i32},   {"min_int32", DType::i32, Op::min, DType::i32},
    {"sum_float32", DType::f32, Op::sum, DType::f32}, {"max_float32", DType::f32, Op::max, DType::f32},
    {"min_float32", DType::f32, Op::min, DType::f32},
};

inline const Variant& variant_of(const lab::Instance& call) { return lab::variant_in(kVariants, call); }

}  // namespace reduce
