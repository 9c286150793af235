// A call's output in words.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "grading/problem.h"

namespace lab {

// How many elements of an output count: all, or as many as the output that its length_in names says.
std::size_t length_of(const Array& output, std::span<const Array> outputs);

// "sum 499,512,331" of the elements that count, or the value itself where the output has only one.
std::string sum_text(const Array& output, std::size_t length);

}  // namespace lab
