// Compares outputs with what is expected, for all labs, tests and the grader.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grading/problem.h"

namespace lab {

struct Mismatch {
    std::int64_t index;
    std::string expected, got;
};

struct Comparison {
    std::uint64_t wrong = 0;         // elements
    std::int64_t first = -1;         // index of the first wrong one
    double worst_error = 0;          // largest |got - expected|, infinite for an unexpected NaN; floats only
    double tolerance_there = 0;      // allowed where the error is worst
    std::vector<Mismatch> examples;  // the first few
    bool ok() const { return wrong == 0; }
};

// How many elements `expected` covers: all, or the first ones of an output of variable size. Throws std::logic_error
// if it does not fit the output.
std::size_t meaningful(const Expected& expected, const ArraySpec& spec);

// Compares `got` (spec.count elements of spec.dtype) with what is expected. Where `flags` is given, flags[i]
// becomes 1 for a wrong element and 0 for a right one. `poison` is the byte that filled the output before the call;
// without it, Rest::untouched is not checked. Throws as meaningful() does.
Comparison compare(const Expected& expected, const ArraySpec& spec, const void* got, std::uint8_t* flags = nullptr,
                   std::optional<std::uint8_t> poison = {});

// Writes the expected values as elements of the output's type (floats rounded to it); the rest stays as it is.
void write_expected(const Expected& expected, const ArraySpec& spec, void* out);

// "3 of 1025 values wrong; [1024] is 0, expected 523776; ...", or "" if all is well.
std::string describe(const Comparison& comparison, const ArraySpec& spec);

}  // namespace lab
