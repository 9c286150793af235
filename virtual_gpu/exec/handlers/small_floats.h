#pragma once

#include "virtual_gpu/exec/decode/decoder.h"

namespace vgpu {

// cvt to or from 8-bit floats; false: it is another conversion.
bool decode_small_floats(Decoder&);

}  // namespace vgpu
