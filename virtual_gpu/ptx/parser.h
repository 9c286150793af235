// Reads one PTX text (as nvcc 13 writes it for compute_75 to compute_90) into a Program.
#pragma once

#include <string_view>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

// False: `error` names the PTX line and what could not be read there; `program` is then unspecified. What an
// instruction is called is not checked. Names of registers, labels and params are.
bool parse(std::string_view text, Program& program, ParseError& error);

}  // namespace vgpu::ptx
