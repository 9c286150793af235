// What a program can ask about its kernels: attributes, occupancy, names.
#include <algorithm>

#include "virtual_gpu/runtime/runtime.h"
#include "virtual_gpu/timing/occupancy.h"

namespace {

using namespace vgpu::runtime;

template <class Body>
cudaError_t with_kernel(const char* name, const void* function, Body&& body) {
    return api(name, kPlain, [&](Runtime& runtime) {
        Kernel* kernel = runtime.kernel_of(function);
        if (kernel == nullptr) {
            return cudaErrorInvalidDeviceFunction;
        }
        const cudaError_t error = runtime.find(*kernel);
        return error != cudaSuccess ? error : body(runtime, *kernel);
    });
}

std::size_t most_dynamic_shared(const Runtime& runtime, const Kernel& kernel) {
    const std::size_t base = runtime.profile().shared_per_block;
    const std::size_t by_default = base > kernel.info.static_shared ? base - kernel.info.static_shared : 0;
    return std::max(by_default, kernel.dynamic_limit);
}

cudaError_t occupancy(const char* name, int* blocks, const void* function, int threads, std::size_t dynamic_shared) {
    return with_kernel(name, function, [&](Runtime& runtime, Kernel& kernel) {
        if (blocks == nullptr || threads <= 0) {
            return cudaErrorInvalidValue;
        }
        *blocks = 0;
        if (threads <= kernel.info.max_threads && dynamic_shared <= most_dynamic_shared(runtime, kernel)) {
            const std::size_t shared = kernel.info.static_shared + dynamic_shared;
            *blocks = vgpu::blocks_per_sm(runtime.profile(), {threads, kernel.info.registers, shared});
            // A launch that an estimate of registers would rule out is run: so the answer is one block at least.
            if (*blocks == 0 && kernel.info.machine_registers == 0) {
                *blocks = std::min(1, vgpu::blocks_per_sm(runtime.profile(), {threads, 0, shared}));
            }
        }
        return cudaSuccess;
    });
}

}  // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* function) {
    return with_kernel("cudaFuncGetAttributes", function, [&](Runtime& runtime, Kernel& kernel) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        *out = {};
        out->sharedSizeBytes = kernel.info.static_shared;
        out->constSizeBytes = kernel.info.const_bytes;
        out->localSizeBytes = kernel.info.local_bytes;
        out->maxThreadsPerBlock = kernel.info.max_threads;
        out->numRegs = kernel.info.registers;
        out->ptxVersion = kernel.info.ptx_version;
        out->binaryVersion = runtime.profile().capability();  // a GPU compiles the PTX for itself
        out->maxDynamicSharedSizeBytes = static_cast<int>(most_dynamic_shared(runtime, kernel));
        out->preferredShmemCarveout = -1;
        return cudaSuccess;
    });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute which, int value) {
    return with_kernel("cudaFuncSetAttribute", function, [&](Runtime& runtime, Kernel& kernel) {
        if (which == cudaFuncAttributeMaxDynamicSharedMemorySize) {
            const auto wanted = static_cast<std::size_t>(std::max(value, 0));
            if (value < 0 || wanted + kernel.info.static_shared > runtime.profile().shared_per_block_optin) {
                return cudaErrorInvalidValue;
            }
            kernel.dynamic_limit = wanted;
        }
        return which < cudaFuncAttributeMax ? cudaSuccess : cudaErrorInvalidValue;  // the rest are hints
    });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
    return with_kernel("cudaFuncSetCacheConfig", function, [](Runtime&, Kernel&) { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
    return with_kernel("cudaFuncSetSharedMemConfig", function, [](Runtime&, Kernel&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char** out, const void* function) {
    return with_kernel("cudaFuncGetName", function, [&](Runtime&, Kernel& kernel) {
        *out = kernel.name.c_str();
        return cudaSuccess;
    });
}

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset, std::size_t* size) {
    return with_kernel("cudaFuncGetParamInfo", function, [&](Runtime&, Kernel& kernel) {
        if (index >= kernel.info.param_offsets.size()) {
            return cudaErrorInvalidValue;
        }
        *offset = kernel.info.param_offsets[index];
        *size = kernel.info.param_sizes[index];
        return cudaSuccess;
    });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* out, const void* function) {
    return with_kernel("cudaGetFuncBySymbol", function, [&](Runtime&, Kernel& kernel) {
        *out = reinterpret_cast<cudaFunction_t>(&kernel);
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t dynamic_shared) {
    return occupancy("cudaOccupancyMaxActiveBlocksPerMultiprocessor", blocks, function, threads, dynamic_shared);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   std::size_t dynamic_shared, unsigned) {
    return occupancy("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", blocks, function, threads,
                     dynamic_shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* out, const void* function, int blocks, int threads) {
    return with_kernel("cudaOccupancyAvailableDynamicSMemPerBlock", function, [&](Runtime& runtime, Kernel& kernel) {
        if (out == nullptr || blocks <= 0 || threads <= 0) {
            return cudaErrorInvalidValue;
        }
        const std::size_t each = runtime.profile().shared_per_sm / static_cast<std::size_t>(blocks) / 256 * 256;
        const std::size_t taken = kernel.info.static_shared + runtime.profile().shared_reserved;
        *out = std::min(each > taken ? each - taken : 0, most_dynamic_shared(runtime, kernel));
        return cudaSuccess;
    });
}
