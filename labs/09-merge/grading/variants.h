// Lab 9's variants, for its cases and its oracle. Trusted; host C++.
#pragma once

#include <cstddef>

#include "grading/problem.h"

namespace merge {

using lab::DType;

// Pairs are in the order of their keys, and a pair is two numbers: key, value, key, value, ...
enum class Order { ascending, descending, by_key };

struct Variant {
    const char* name;
    DType dtype;
    Order order = Order::ascending;
    std::size_t numbers() const { return order == Order::by_key ? 2 : 1; }  // an element consists of so many
};

inline constexpr Variant kVariants[] = {
    {"ascending_int32", DType::i32},
    {"descending_int32", DType::i32, Order::descending},
    {"ascending_int64", DType::i64},
    {"ascending_float32", DType::f32},
    {"pairs_int32", DType::i32, Order::by_key},
};

inline const Variant& variant_of(const lab::Instance& call) { return lab::variant_in(kVariants, call); }

}  // namespace merge
