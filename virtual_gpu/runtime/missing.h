// What of CUDA's runtime is missing here, in words for people, and what becomes of a program that asks for it. Free of
// CUDA's own header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vgpu::runtime {

// The part of CUDA that a missing call belongs to, as a subject: "textures".
std::string_view feature_of(std::string_view call);
// Whether it only asks: a program may go on without an answer.
bool is_query(std::string_view call);

// An entry that nothing implements: as a call that fails with cudaErrorNotSupported. Returns that error.
int refuse(const char* call);
// Says what a call that is implemented lacks, for the sentence of the cudaErrorNotSupported that it returns next.
// Returns that error.
int lacks(std::string feature);
// The call of this thread fails with cudaErrorNotSupported. A query goes on after a note on stderr. Any other call is a
// finding and, unless another process decides about this program, ends the process with status 3 and one sentence.
void not_supported(const char* call);

// The names that nothing implements; in not_implemented.cc.
std::vector<const char*> unimplemented_calls();
// Every missing function by feature, as lines of Markdown: made for the page that lists them.
std::string missing_calls();

}  // namespace vgpu::runtime
