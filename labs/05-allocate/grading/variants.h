// The variants of lab 5's tasks 4 and 5, for its cases, oracle and bindings. Trusted; host C++.
#pragma once

#include "grading/problem.h"

namespace allocate {

// An element with value v gives v, v + step, v + 2 step, ...
struct Variant {
    const char* name;
    int step;
};

constexpr int kStep = 3;  // not 0 or 1, so that a functor without its state shows
inline constexpr Variant kVariants[] = {{"repeat_int32", 0}, {"count_up_int32", kStep}};

inline const Variant& variant_of(const lab::Instance& call) { return lab::variant_in(kVariants, call); }

}  // namespace allocate
