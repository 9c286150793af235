// Lab 6's variants, for its cases and its oracle. Trusted; host C++.
#pragma once

#include "grading/problem.h"

namespace histogram {

using lab::DType;

// A bin for each of an image's 256 levels; equally wide bins from `low` to `high`; bins between ascending edges.
enum class Bins { levels, uniform, edges };

struct Variant {
    const char* name;
    DType dtype;
    Bins bins;
};

inline constexpr Variant kVariants[] = {
    {"levels_uint8", DType::u8, Bins::levels},
    {"uniform_int32", DType::i32, Bins::uniform},
    {"uniform_float32", DType::f32, Bins::uniform},
    {"edges_float32", DType::f32, Bins::edges},
};

inline const Variant& variant_of(const lab::Instance& call) { return lab::variant_in(kVariants, call); }

}  // namespace histogram
