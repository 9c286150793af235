// Where in the host program a call was made. Taking the place is cheap; finding its source line starts addr2line and is
// left for when something is to be said. Until then it travels as a token, inside labels too: "{at 1f30 2a}", the
// return addresses outside of this library as offsets in the program's file, innermost first; "{at 1f30@/lib/x.so}" for
// one in a shared library.
#pragma once

#include <string>

#include "virtual_gpu/report.h"
#include "virtual_gpu/session/session.h"

namespace vgpu {

// Of the caller; at most eight frames. `innermost` comes before them, if given.
HostPlace host_place(void* innermost = nullptr);
// A launch by a function, as cudaLaunchKernelEx(): no stub of nvcc's is between the call and the runtime.
void mark_without_stub(HostPlace&);

// Where something of the program itself stands in its file: its address there, or 0 if it is not of the program.
std::uint64_t offset_in_program(const void* address);

// From now on places are those of another program, whose file this is; its shared libraries are passed over.
void places_are_of(const std::string& program);

// The innermost frame in the student's own code (a .cu file if there is one on the stack), without that the
// module's name and offset as file and line 0. A launch arrives through the kernel's host stub, which claims the line
// of the kernel's definition: it is passed over, unless the place is marked.
SourcePlace place_of(const HostPlace&, bool is_launch = false);
std::string text_of(const SourcePlace&);  // "scan.cu:24", or "lab3+0x1234"

std::string resolve_tokens(const std::string& text);  // every token replaced by its place

// The line of a source file, without leading blanks; empty if it cannot be read.
std::string source_line(const std::string& file, int line);

}  // namespace vgpu
