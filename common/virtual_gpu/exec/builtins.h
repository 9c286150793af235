// Device functions that the virtual GPU supplies itself: vprintf, __assertfail, malloc, free.
#pragma once

#include <string>

#include "virtual_gpu/exec/machine.h"

namespace vgpu {

// nullptr: there is no such function. Instr::aux is the number of the CallSite.
Handler builtin_handler(const std::string& name);

}  // namespace vgpu
