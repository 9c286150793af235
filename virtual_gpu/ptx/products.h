// Products that are rounded together with a sum, as ptxas does where PTX leaves it free.
#pragma once

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

// `mul.f32 m, a, b` and then `add.f32 r, m, c` or `sub.f32` become one fma, rounded once, if neither names a rounding
// mode. (nvcc writes an fma for a sum itself, but leaves `c - a * b` and `a * b - c` to ptxas.) The rules are those
// that the machine code of ptxas shows:
// - every use of the product is such a sum, in the same basic block; otherwise all stay as they are;
// - of two products, the first operand's is fused.
// An fma replaces the add or sub; `negated` is set in its first factor for c - a * b, and in its last operand for
// a * b - c. The mul stays, and its result is unused. Code for a debugger (nvcc -G) is left as it is.
void fuse_products(Function&);

}  // namespace vgpu::ptx
