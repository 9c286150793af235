// What is not implemented, in words for people.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "virtual_gpu/ptx/module.h"

namespace vgpu {

// "tensor cores (mma.sync.aligned.m16n8k16...)"; a subject with its verb: "... are".
std::string missing_instruction(const ptx::Instruction&);
// The same of a call of a function that nobody defines.
std::string missing_call(const std::string& callee);

// The parts of PTX that are missing, as lines of Markdown: made for the page that lists them.
std::string missing_parts();
// One of these lines. A name that ends in '?' gets it behind its quotes.
std::string missing_line(std::string_view feature, const std::set<std::string>& names);

}  // namespace vgpu
