// Names in PTX as a person knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// The name as in the source. A name that is not mangled is returned as it is.
std::string demangled(const std::string& symbol);
// Without namespaces, template arguments and parameters. "scan(int const*, int*, int)::temp" or its mangled name:
// "temp".
std::string short_name(const std::string& symbol);

// The lines of a source file; none if it is no plain .cu, .h, .cuh, .hpp, .inl, .cc or .cpp file of a few MiB: a
// program may name any file by #line.
std::vector<std::string> source_lines(const std::string& file);

// Where in the function's local memory the array begins that a load or store indexes: what is added to the address of
// that memory before the index. nvcc merges all local arrays of a function into one.
std::optional<std::int64_t> local_array_start(const ptx::Function&, std::size_t instruction);

}  // namespace vgpu
