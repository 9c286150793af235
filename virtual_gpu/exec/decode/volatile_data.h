// Volatile loads that read data and do not synchronise. `while (*flag == 0)` with a volatile flag waits for another
// thread and orders what follows. `s[t] += s[t + 16]` with a volatile s waits for nobody, so in shared memory it is
// checked for races like a plain load. (Code for GPUs before Volta relied on lanes that run in step.)
#pragma once

#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// For each instruction of the body: is it a volatile load whose value decides no branch or predicate, goes to no
// atomic, and to no function?
std::vector<bool> volatile_data(const ptx::Function&);

}  // namespace vgpu
