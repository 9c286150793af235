// Registers that may be read before anything is written to them.
#pragma once

#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

// Register numbers, ascending: those that some path from the function's start reads first.
std::vector<int> unwritten_registers(const Function&);

}  // namespace vgpu::ptx
