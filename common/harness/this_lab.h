// What a runner is for; add_lab() generates the definitions.
#pragma once

#include "grading/problem.h"
#include "harness/call.h"

namespace lab {

Lab this_lab();
Bindings this_bindings();

}  // namespace lab
