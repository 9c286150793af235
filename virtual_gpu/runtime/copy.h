// Copies for other parts of the runtime.
#pragma once

#include <cstddef>

#include "virtual_gpu/runtime/cuda_api.h"

namespace vgpu::runtime {

struct CopyRequest {
    const char* name;
    cudaStream_t stream = nullptr;
    bool per_thread = false;
    bool async = false;
};

// As cudaMemcpy2D, in the name of another function.
cudaError_t copy_rows(const CopyRequest&, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind);

}  // namespace vgpu::runtime
