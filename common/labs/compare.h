// Is an output what it must be? One comparison for all labs, tests and the grader.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "labs/problem.h"

namespace lab {

struct Mismatch {
    std::int64_t index;
    std::string expected, got;
};

struct Comparison {
    std::uint64_t wrong = 0;         // elements
    std::int64_t first = -1;         // index of the first wrong one
    double worst_error = 0;          // largest |got - expected|, infinite for a NaN that should be none; floats only
    double tolerance_there = 0;      // allowed where the error is worst
    std::vector<Mismatch> examples;  // the first few
    bool ok() const { return wrong == 0; }
};

// Compares `got` (spec.count elements of spec.dtype) with what is expected. Where `flags` is given, flags[i]
// becomes 1 for a wrong element and 0 for a right one. Throws std::logic_error if `expected` has another size.
Comparison compare(const Expected& expected, const ArraySpec& spec, const void* got, std::uint8_t* flags = nullptr);

// Writes the expected values as elements of the output's type (floats rounded to it).
void write_expected(const Expected& expected, const ArraySpec& spec, void* out);

// "3 of 1025 values wrong; [1024] is 0, expected 523776; ...", or "" if all is well.
std::string describe(const Comparison& comparison, const ArraySpec& spec);

}  // namespace lab
