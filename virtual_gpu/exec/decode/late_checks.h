// Loads that nvcc has moved before their condition. `if (i == 0 && *p < 2)` reads *p in every thread, and threads with
// another i drop the value. Such a read is checked for races only in the threads that use it.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// The race check of a load is made later, for the lanes for which a predicate says that the value counts. Between the
// two is nothing that orders accesses.
struct LateCheck {
    std::uint32_t load = 0, before = 0;  // instructions of the function; if both are the same, right after the load
    int predicate = -1;                  // register
    bool negated = false;
};

// In the order of `before`. A load with an entry is not checked where it stands. All others have a use that every lane
// comes to.
std::vector<LateCheck> late_checks(const ptx::Function&);

}  // namespace vgpu
