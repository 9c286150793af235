// Sums of products as an H100's tensor cores make them: "Tensor cores" in virtual_gpu/README.md.
#pragma once

#include <cstdint>

#include "virtual_gpu/ptx/tensor_form.h"

namespace vgpu {

// d = a * b + c, with a[m][k], b[k][n], c[m][n], d[m][n] as the bits of their numbers; words of small integers along k.
struct TensorProduct {
    const ptx::TensorForm* form;
    int m, n, k;  // k: elements, or words of them
    const std::uint64_t* a;
    const std::uint64_t* b;
    const std::uint64_t* c;
    std::uint64_t* d;
};
void multiply_matrices(const TensorProduct&);

}  // namespace vgpu
