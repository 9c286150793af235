// CUDA's device runtime: what kernels call to launch kernels. nvcc gives its functions these names: __cudaCDP2...
#pragma once

#include <string>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {

Handler device_runtime_handler(const std::string& name);  // nullptr: not there, or not implemented
// Launches that failed, whose threads have not asked for the error: findings, at the end of the grid.
void report_ignored_launches(Run&);

}  // namespace vgpu
