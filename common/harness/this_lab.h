// What a runner is for; add_lab() generates the definitions.
#pragma once

#include "harness/call.h"
#include "labs/problem.h"

namespace lab {

Lab this_lab();
Bindings this_bindings();

}  // namespace lab
