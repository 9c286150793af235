// --check: asks the lab's oracle whether an output is right.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grading/problem.h"

namespace lab {

// "" if every output is right, else one line with the first wrong value. Throws UsageError if the library is missing.
// It is loaded into the process that runs the student's code: good enough for a student's own check, not for
// grading. `poison`: the byte that filled the outputs before the call.
std::string check_outputs(const Lab& lab, const Instance& instance, std::span<const Array> inputs,
                          std::span<const Array> outputs, std::uint8_t poison);

}  // namespace lab
