// Memory pools: what cudaMallocAsync takes from. A pool counts and limits; the memory itself is the device's.
#pragma once

#include <cstddef>

#include "virtual_gpu/memory/memory.h"
#include "virtual_gpu/runtime/cuda_api.h"

namespace vgpu::runtime {

// All are called with the runtime's lock held.
cudaMemPool_t current_pool();  // of the device: the default one, or another that the program has set
bool is_pool(cudaMemPool_t);
bool has_room(cudaMemPool_t, std::size_t bytes);  // cudaMemPoolProps::maxSize
void took_from(cudaMemPool_t, DevicePtr, std::size_t bytes);
void gave_back(DevicePtr);  // nothing, if it is from no pool
void forget_pools();        // cudaDeviceReset

}  // namespace vgpu::runtime
