// Where an undefined value comes from, in words.
#pragma once

#include <string>

#include "virtual_gpu/undefined/bytes.h"

namespace vgpu {

// "the value of s[3] in shared memory, which no thread of the block has written, read at scan.cu:41".
std::string origin_text(const Origins&, OriginId);
std::string origin_help(const Origins&, OriginId);
// Array, index, space and the other place of a finding.
void fill_origin(Finding&, const Origins&, OriginId);

}  // namespace vgpu
