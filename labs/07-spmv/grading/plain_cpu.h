// Lab 7's plain CPU versions, for --cpu: one thread, no tricks. csr_on_cpu() also builds the matrices that are read
// from files. Trusted; host C++.
#pragma once

#include <cstdint>
#include <span>

#include "grading/problem.h"

namespace spmv {

// Any task.
void cpu(const lab::Instance& call, std::span<const lab::Array> inputs, std::span<const lab::Array> outputs);

// CSR from entries in any order; entries of the same place are added up. Outputs have room for all entries.
void csr_on_cpu(std::span<const std::int32_t> row, std::span<const std::int32_t> col, std::span<const float> value,
                std::span<std::int32_t> row_ptr, std::span<std::int32_t> out_col, std::span<float> out_value);

}  // namespace spmv
