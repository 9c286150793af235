// Names in PTX as a person knows them.
#pragma once

#include <string>
#include <vector>

namespace vgpu {

// The name as in the source. A name that is not mangled is returned as it is.
std::string demangled(const std::string& symbol);
// Without namespaces, template arguments and parameters. "scan(int const*, int*, int)::temp" or its mangled name:
// "temp".
std::string short_name(const std::string& symbol);

// The lines of a source file; none if it is no plain .cu, .h, .cuh, .hpp, .inl, .cc or .cpp file of a few MiB: a
// program may name any file by #line.
std::vector<std::string> source_lines(const std::string& file);

}  // namespace vgpu
