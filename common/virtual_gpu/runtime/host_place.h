// Where in the host program a call was made. Taking the stack is cheap; finding source lines starts addr2line and is
// left for when something is to be said. Until then a place travels as a token inside labels.
#pragma once

#include <string>
#include <vector>

#include "virtual_gpu/report.h"

namespace vgpu::runtime {

// Return addresses outside this library, innermost first, at most eight.
std::vector<void*> host_stack();

// The innermost frame in the student's own code (a .cu file if there is one on the stack), without that the
// module's name and offset as file and line 0. A launch arrives through the kernel's host stub, which claims the line
// of the kernel's definition: it is passed over.
SourcePlace place_of(const std::vector<void*>& stack, bool is_launch = false);
std::string text_of(const SourcePlace&);  // "scan.cu:24", or "lab3+0x1234"

// A token to put into a label, and the replacement of every token in a text by its place.
std::string token_of(const std::vector<void*>& stack);
std::string resolve_tokens(const std::string& text);

// The line of a source file, without leading blanks; empty if it cannot be read.
std::string source_line(const std::string& file, int line);

}  // namespace vgpu::runtime
