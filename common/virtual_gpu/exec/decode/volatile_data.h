// Volatile loads that only take data. `while (*flag == 0)` with a volatile flag waits for another thread, and orders
// what comes after it. `s[t] += s[t + 16]` with a volatile s waits for nobody: it takes what happens to be there. In
// shared memory such a load is checked for races as a plain one is. (Code for GPUs before Volta left out the barriers
// within a warp, as its lanes ran in step.)
#pragma once

#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// For each instruction of the body: is it a volatile load whose value decides no branch or predicate, goes to no
// atomic, and to no function?
std::vector<bool> volatile_data(const ptx::Function&);

}  // namespace vgpu
