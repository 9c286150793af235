// Lab 14's variants, and what its tasks compute, for its cases, oracle and bindings. Trusted; host C++.
#pragma once

#include "grading/problem.h"

namespace life {

using lab::DType;

// Task 1 has two ways to count; the first one is timed.
struct Variant {
    const char* name;
    bool scatter;
};
inline constexpr Variant kWays[] = {{"gather", false}, {"scatter", true}};

inline bool is_count(const lab::Instance& call) { return call.task == "scatter_and_gather"; }
inline bool is_bits(const lab::Instance& call) { return call.task == "bits"; }
inline bool is_heat(const lab::Instance& call) { return call.task == "heat"; }
inline bool is_small(const lab::Instance& call) { return call.task == "in_one_block"; }

inline constexpr std::int64_t kMaxSide = 65'535, kMaxSmall = 16'384,  // as in life.h
    kMaxCells = std::int64_t{1} << 26;
inline constexpr float kRate = 0.2f;  // as in life.h

inline std::int64_t words_in_row(std::int64_t columns) { return (columns + 31) / 32; }

}  // namespace life
