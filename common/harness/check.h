// --check: asks liboracles.so whether an output is right.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grading/problem.h"

namespace lab {

// "" if every output is right, else one line with the first wrong value. Throws UsageError if the library is not
// to be had. The answers come from a file beside this program, into the process that runs the student's code:
// good for working alone, not for grading. `poison`: the byte that filled the outputs before the call.
std::string check_outputs(const Lab& lab, const Instance& instance, std::span<const Array> inputs,
                          std::span<const Array> outputs, std::uint8_t poison);

}  // namespace lab
