// Products that are rounded together with a sum, as ptxas does where PTX leaves it free.
#pragma once

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

// `mul.f32 m, a, b` and then `add.f32 r, m, c` or `sub.f32` become one fma, rounded once, if neither names a rounding
// mode. (nvcc writes an fma for a sum itself, but leaves `c - a * b` and `a * b - c` to ptxas.) The rules are those
// that the machine code of ptxas shows:
// - every use of the product is such a sum, in the same basic block; otherwise all stay as they are;
// - of two products, the first operand's is fused.
// In place of add or sub there is then an fma; `negated` is set in its first factor for c - a * b, and in its last
// operand for a * b - c. The mul stays: nobody reads its result. Code for a debugger (nvcc -G) has no fma in their
// place.
void fuse_products(Function&);

}  // namespace vgpu::ptx
