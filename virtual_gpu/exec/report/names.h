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
std::string short_name_of(std::string demangled);
std::string short_name(const std::string& symbol);

// The lines of a source file; none unless it is a plain .cu, .h, .cuh, .hpp, .inl, .cc or .cpp file of a few MiB, as a
// program may name any file by #line. None either if it was edited after the program was made: see sources_are_of().
// Read once: each launch asks.
const std::vector<std::string>& source_lines(const std::string& file);

// What the file and the headers say that it includes by "name", without comments: beside it, or in a folder of the
// variable VGPU_HEADERS.
std::vector<std::string> texts_with_headers(const std::string& file);

// A file that was compiled and linked from sources: what is edited after the last such file is not quoted.
void sources_are_of(const std::string& program);

// The offset, in the function's local memory, of the array that a load or store indexes. nvcc merges all local arrays
// of a function into one.
std::optional<std::int64_t> local_array_start(const ptx::Function&, std::size_t instruction);

}  // namespace vgpu
