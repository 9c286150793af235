// Lab 13's variants, for its cases, oracle and bindings. Trusted; host C++.
#pragma once

#include "grading/problem.h"

namespace transpose {

using lab::DType;

// How the matrix of a call comes about: rows x columns; a square; one that is transposed where it is; the words of n
// structures, of which there are `words`, or n words of each of as many arrays.
enum class Form : std::uint8_t { matrix, square, in_place, structures, arrays };

struct Variant {
    const char* name;
    DType dtype;
    std::size_t words = 1;  // how many of dtype an element has, or a structure
    Form form = Form::matrix;
};

inline constexpr Variant kTypes[] = {
    {"float32", DType::f32},  // the one that is timed
    {"uint8", DType::u8},
    {"float64", DType::f64},
    {"float32x4", DType::f32, 4},
    {"in_place_uint8", DType::u8, 1, Form::in_place},
    {"in_place_float32", DType::f32, 1, Form::in_place},
    {"in_place_float32x4", DType::f32, 4, Form::in_place},
};
inline constexpr Variant kLayouts[] = {
    {"structures_of_3", DType::u32, 3, Form::structures},   {"structures_of_5", DType::u32, 5, Form::structures},
    {"structures_of_12", DType::u32, 12, Form::structures}, {"arrays_of_3", DType::u32, 3, Form::arrays},
    {"arrays_of_5", DType::u32, 5, Form::arrays},           {"arrays_of_12", DType::u32, 12, Form::arrays},
};
// Tasks 1 to 4 and 7, which have no variants.
inline constexpr Variant kSquare{"", DType::f32, 1, Form::square};
inline constexpr Variant kPicture{"", DType::u8, 1, Form::matrix};

inline const Variant& variant_of(const lab::Instance& call) {
    if (call.task == "rectangular") return lab::variant_in(kTypes, call);
    if (call.task == "layouts") return lab::variant_in(kLayouts, call);
    return call.task == "summed_area" ? kPicture : kSquare;
}

inline bool is_layout(const lab::Instance& call) { return call.task == "layouts"; }
inline bool is_sum(const lab::Instance& call) { return call.task == "summed_area"; }
inline bool is_square(const lab::Instance& call) {
    const Form form = variant_of(call).form;
    return form == Form::square || form == Form::in_place;
}

}  // namespace transpose
