// Which plain loads only start a loop of compare-and-swap:
//     old = *address; do { assumed = old; old = atomicCAS(address, assumed, f(assumed)); } while (old != assumed);
#pragma once

#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// For each instruction of the body: is it a weak load whose value, perhaps moved, is what an atom.cas compares with?
std::vector<bool> reads_for_compare_and_swap(const ptx::Function&);

}  // namespace vgpu
