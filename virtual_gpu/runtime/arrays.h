// CUDA arrays: device memory whose layout only textures, surfaces and copies know.
#pragma once

#include <cstddef>

#include "virtual_gpu/memory/memory.h"
#include "virtual_gpu/runtime/cuda_api.h"

namespace vgpu::runtime {

struct Array {
    DevicePtr base = 0;
    cudaChannelFormatDesc format{};
    cudaExtent extent{};  // as it was asked for: 0 is no height, no depth
    unsigned flags = 0;
    std::size_t texel = 0, pitch = 0, slice = 0;  // bytes
    std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
    std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
    bool is_layered() const { return (flags & cudaArrayLayered) != 0; }
    int dimensions() const { return extent.height == 0 ? 1 : extent.depth == 0 || is_layered() ? 2 : 3; }
};

const Array* array_of(cudaArray_const_t);  // nullptr: it is none, or it was freed
// Bytes of a texel; 0: no format that there is.
std::size_t texel_bytes(const cudaChannelFormatDesc&);
// An array that copies see as memory: rows of bytes.
cudaPitchedPtr memory_of(const Array&);

}  // namespace vgpu::runtime
