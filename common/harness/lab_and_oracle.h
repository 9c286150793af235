// This lab with its answers: in its oracle library and in tests, never in a program that a student's code is part of.
// add_lab() generates the definition.
#pragma once

#include "grading/problem.h"

namespace lab {

const Lab& lab_and_oracle();

}  // namespace lab
