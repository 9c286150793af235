// Names in PTX as a person knows them.
#pragma once

#include <string>

namespace vgpu {

// As in the source; what is no mangled name stays as it is.
std::string demangled(const std::string& symbol);
// Without namespaces, template arguments and parameters. "scan(int const*, int*, int)::temp" or its mangled name:
// "temp".
std::string short_name(const std::string& symbol);

}  // namespace vgpu
