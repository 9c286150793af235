// The special function unit: what MUFU instructions give on an H200, to the bit; tanh only within its error. Inputs and
// results that are subnormal count as zeros.
#pragma once

#include "virtual_gpu/exec/handlers/ops.h"

namespace vgpu::sfu {

u32 rcp(u32);
u32 rsqrt(u32);
u32 sqrt(u32);
u32 ex2(u32);
u32 lg2(u32);
u32 sin(u32 turns);  // a whole turn is 1
u32 cos(u32 turns);
u32 tanh(u32);
// The high words of 1/x and 1/sqrt(x), of the high word of x, a double.
u32 rcp64h(u32);
u32 rsqrt64h(u32);

}  // namespace vgpu::sfu
