// Lab 3's variants, for its cases and its oracle. Trusted; host C++.
#pragma once

#include <cstddef>

#include "grading/problem.h"

namespace scan {

using lab::DType;

enum class Kind { exclusive, inclusive };
enum class Op { sum, max, compose, segmented_sum };

struct Variant {
    const char* name;
    DType dtype;
    Kind kind;
    Op op;
    std::size_t numbers = 1;  // that an element consists of: a map is two, and so is a value with its head
};

inline constexpr Variant kVariants[] = {
    {"exclusive_sum_int32", DType::i32, Kind::exclusive, Op::sum},
    {"inclusive_sum_int32", DType::i32, Kind::inclusive, Op::sum},
    {"exclusive_max_int32", DType::i32, Kind::exclusive, Op::max},
    {"exclusive_sum_int64", DType::i64, Kind::exclusive, Op::sum},
    {"inclusive_sum_float32", DType::f32, Kind::inclusive, Op::sum},
    {"inclusive_affine_uint32", DType::u32, Kind::inclusive, Op::compose, 2},
    {"segmented_sum_int32", DType::i32, Kind::inclusive, Op::segmented_sum, 2},
};

inline const Variant& variant_of(const lab::Instance& call) { return lab::variant_in(kVariants, call); }

}  // namespace scan
