// CUDA's own header with its functions visible outside this library, and the entries for a per-thread default stream
// that the header declares only under another macro.
#pragma once

#pragma GCC visibility push(default)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <cuda_runtime_api.h>
#pragma GCC diagnostic pop
#pragma GCC visibility pop

#define VGPU_EXPORT extern "C" __attribute__((visibility("default")))
