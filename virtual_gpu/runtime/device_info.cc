// What a program can ask about the device and the errors, and device-wide settings.
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>

#include "virtual_gpu/known_errors.h"
#include "virtual_gpu/runtime/missing.h"
#include "virtual_gpu/runtime/pools.h"
#include "virtual_gpu/runtime/runtime.h"

namespace {

using namespace vgpu::runtime;

constexpr int kVersion = CUDART_VERSION;
constexpr std::size_t kConstantBytes = 65536;
constexpr int kUnknown = -2;  // an attribute that has no answer here
constexpr const char* kBusId = "0000:00:00.0";

// Kernels reach memory of the host, at the host's addresses.
int shares_memory() { return Runtime::get().local != nullptr ? 1 : 0; }

// What is not set does not work here: 0.
cudaDeviceProp properties(const vgpu::DeviceProperties& p) {
    cudaDeviceProp out{};
    std::snprintf(out.name, sizeof out.name, "%s", p.name.c_str());
    out.totalGlobalMem = Runtime::get().session->bytes_total();
    out.sharedMemPerBlock = p.shared_per_block;
    out.regsPerBlock = p.registers_per_block;
    out.warpSize = 32;
    out.memPitch = 0x7fffffff;
    out.maxThreadsPerBlock = p.threads_per_block;
    out.maxThreadsDim[0] = 1024;
    out.maxThreadsDim[1] = 1024;
    out.maxThreadsDim[2] = 64;
    out.maxGridSize[0] = 0x7fffffff;
    out.maxGridSize[1] = 65535;
    out.maxGridSize[2] = 65535;
    out.totalConstMem = kConstantBytes;
    out.major = p.compute_major;
    out.minor = p.compute_minor;
    out.textureAlignment = out.surfaceAlignment = 512;
    out.maxTexture1D = out.maxTexture2D[0] = out.maxSurface1D = out.maxSurface2D[0] = 131072;
    out.maxTexture2D[1] = out.maxSurface2D[1] = 65536;
    for (int axis = 0; axis < 3; ++axis) {
        out.maxTexture3D[axis] = out.maxSurface3D[axis] = 16384;
    }
    out.maxTexture2DLinear[0] = out.maxTexture2DGather[0] = 131072;
    out.maxTexture2DLinear[1] = out.maxTexture2DGather[1] = 65536;
    out.maxTexture2DLinear[2] = 0x7fffffe0;
    out.texturePitchAlignment = 32;
    out.multiProcessorCount = p.sms;
    out.concurrentKernels = 1;
    out.managedMemory = out.concurrentManagedAccess = out.canMapHostMemory = shares_memory();
    out.canUseHostPointerForRegisteredMem = out.unifiedAddressing = shares_memory();
    out.asyncEngineCount = 2;
    out.memoryBusWidth = p.memory_bus_bits;
    out.l2CacheSize = static_cast<int>(p.l2_bytes);
    out.maxThreadsPerMultiProcessor = p.threads_per_sm;
    out.streamPrioritiesSupported = 1;
    out.globalL1CacheSupported = 1;
    out.localL1CacheSupported = 1;
    out.sharedMemPerMultiprocessor = p.shared_per_sm;
    out.regsPerMultiprocessor = p.registers_per_sm;
    out.cooperativeLaunch = 1;
    out.sharedMemPerBlockOptin = p.shared_per_block_optin;
    out.maxBlocksPerMultiProcessor = p.blocks_per_sm;
    out.reservedSharedMemPerBlock = p.shared_reserved;
    out.hostRegisterSupported = 1;
    out.memoryPoolsSupported = 1;
    out.hostNumaId = -1;
    return out;
}

// kUnknown: nobody here knows. What is not here does not work here: 0. Kernels do not reach memory that is not
// allocated or registered by CUDA (pageableMemoryAccess), and processes share nothing.
int attribute(const vgpu::DeviceProperties& p, cudaDeviceAttr which) {
    switch (which) {
        case cudaDevAttrMaxThreadsPerBlock:
            return p.threads_per_block;
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY:
            return 1024;
        case cudaDevAttrMaxBlockDimZ:
            return 64;
        case cudaDevAttrMaxGridDimX:
            return 0x7fffffff;
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ:
            return 65535;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            return static_cast<int>(p.shared_per_block);
        case cudaDevAttrTotalConstantMemory:
            return static_cast<int>(kConstantBytes);
        case cudaDevAttrWarpSize:
            return 32;
        case cudaDevAttrMaxPitch:
            return 0x7fffffff;
        case cudaDevAttrMaxRegistersPerBlock:
            return p.registers_per_block;
        case cudaDevAttrClockRate:
            return static_cast<int>(p.clock_hz / 1000);
        case cudaDevAttrTextureAlignment:
            return 512;
        case cudaDevAttrGpuOverlap:
            return 1;
        case cudaDevAttrMultiProcessorCount:
            return p.sms;
        case cudaDevAttrManagedMemory:
        case cudaDevAttrConcurrentManagedAccess:
        case cudaDevAttrCanMapHostMemory:
        case cudaDevAttrCanUseHostPointerForRegisteredMem:
        case cudaDevAttrUnifiedAddressing:
            return shares_memory();
        case cudaDevAttrConcurrentKernels:
            return 1;
        case cudaDevAttrMemoryClockRate:
            return static_cast<int>(p.memory_clock_hz / 1000);
        case cudaDevAttrGlobalMemoryBusWidth:
            return p.memory_bus_bits;
        case cudaDevAttrL2CacheSize:
            return static_cast<int>(p.l2_bytes);
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            return p.threads_per_sm;
        case cudaDevAttrAsyncEngineCount:
            return 2;
        case cudaDevAttrTexturePitchAlignment:
            return 32;
        case cudaDevAttrComputeCapabilityMajor:
            return p.compute_major;
        case cudaDevAttrComputeCapabilityMinor:
            return p.compute_minor;
        case cudaDevAttrStreamPrioritiesSupported:
        case cudaDevAttrGlobalL1CacheSupported:
        case cudaDevAttrLocalL1CacheSupported:
            return 1;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            return static_cast<int>(p.shared_per_sm);
        case cudaDevAttrMaxRegistersPerMultiprocessor:
            return p.registers_per_sm;
        case cudaDevAttrSingleToDoublePrecisionPerfRatio:
            return p.f64_per_cycle > 0 ? static_cast<int>(4 / p.f64_per_cycle) : 0;
        case cudaDevAttrCooperativeLaunch:
            return 1;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            return static_cast<int>(p.shared_per_block_optin);
        case cudaDevAttrHostRegisterSupported:
            return 1;
        case cudaDevAttrMaxBlocksPerMultiprocessor:
            return p.blocks_per_sm;
        case cudaDevAttrReservedSharedMemoryPerBlock:
            return static_cast<int>(p.shared_reserved);
        case cudaDevAttrMemoryPoolsSupported:
            return 1;
        case cudaDevAttrNumaConfig:
            return cudaDeviceNumaConfigNone;
        case cudaDevAttrNumaId:
        case cudaDevAttrHostNumaId:
            return -1;
        case cudaDevAttrKernelExecTimeout:
        case cudaDevAttrIntegrated:
        case cudaDevAttrComputeMode:  // cudaComputeModeDefault
        case cudaDevAttrEccEnabled:
        case cudaDevAttrPciBusId:
        case cudaDevAttrPciDeviceId:
        case cudaDevAttrPciDomainId:
        case cudaDevAttrTccDriver:
        case cudaDevAttrIsMultiGpuBoard:
        case cudaDevAttrMultiGpuBoardGroupID:
        case cudaDevAttrHostNativeAtomicSupported:
        case cudaDevAttrOnlyPartialHostNativeAtomicSupported:
        case cudaDevAttrPageableMemoryAccess:
        case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
        case cudaDevAttrDirectManagedMemAccessFromHost:
        case cudaDevAttrComputePreemptionSupported:
        case cudaDevAttrCanFlushRemoteWrites:
        case cudaDevAttrMaxPersistingL2CacheSize:
        case cudaDevAttrMaxAccessPolicyWindowSize:
        case cudaDevAttrSparseCudaArraySupported:
        case cudaDevAttrDeferredMappingCudaArraySupported:
        case cudaDevAttrHostRegisterReadOnlySupported:
        case cudaDevAttrTimelineSemaphoreInteropSupported:
        case cudaDevAttrGPUDirectRDMASupported:
        case cudaDevAttrGPUDirectRDMAFlushWritesOptions:
        case cudaDevAttrGPUDirectRDMAWritesOrdering:
        case cudaDevAttrMemoryPoolSupportedHandleTypes:
        case cudaDevAttrClusterLaunch:
        case cudaDevAttrIpcEventSupport:
        case cudaDevAttrMpsEnabled:
        case cudaDevAttrD3D12CigSupported:
        case cudaDevAttrVulkanCigSupported:
        case cudaDevAttrHostNumaMemoryPoolsSupported:
        case cudaDevAttrHostNumaMultinodeIpcSupported:
        case cudaDevAttrHostMemoryPoolsSupported:
            return 0;
        case cudaDevAttrMemSyncDomainCount:
            return 1;
        case cudaDevAttrMaxTexture1DWidth:
        case cudaDevAttrMaxTexture2DWidth:
        case cudaDevAttrMaxTexture2DGatherWidth:
        case cudaDevAttrMaxTexture2DLinearWidth:
        case cudaDevAttrMaxSurface1DWidth:
        case cudaDevAttrMaxSurface2DWidth:
            return 131072;
        case cudaDevAttrMaxTexture2DHeight:
        case cudaDevAttrMaxTexture2DGatherHeight:
        case cudaDevAttrMaxTexture2DLinearHeight:
        case cudaDevAttrMaxSurface2DHeight:
            return 65536;
        case cudaDevAttrMaxTexture3DWidth:
        case cudaDevAttrMaxTexture3DHeight:
        case cudaDevAttrMaxTexture3DDepth:
        case cudaDevAttrMaxSurface3DWidth:
        case cudaDevAttrMaxSurface3DHeight:
        case cudaDevAttrMaxSurface3DDepth:
            return 16384;
        case cudaDevAttrMaxTexture1DLayeredWidth:
        case cudaDevAttrMaxTexture2DLayeredWidth:
        case cudaDevAttrMaxTexture2DLayeredHeight:
        case cudaDevAttrMaxSurface1DLayeredWidth:
        case cudaDevAttrMaxSurface2DLayeredWidth:
        case cudaDevAttrMaxSurface2DLayeredHeight:
            return 32768;
        case cudaDevAttrMaxTexture1DLayeredLayers:
        case cudaDevAttrMaxTexture2DLayeredLayers:
        case cudaDevAttrMaxSurface1DLayeredLayers:
        case cudaDevAttrMaxSurface2DLayeredLayers:
            return 2048;
        case cudaDevAttrMaxTexture1DLinearWidth:
            return 1 << 28;
        case cudaDevAttrMaxTexture2DLinearPitch:
            return 0x7fffffe0;
        case cudaDevAttrSurfaceAlignment:
            return 512;
        case cudaDevAttrMaxTextureCubemapWidth:  // none of these
        case cudaDevAttrMaxTextureCubemapLayeredWidth:
        case cudaDevAttrMaxTextureCubemapLayeredLayers:
        case cudaDevAttrMaxSurfaceCubemapWidth:
        case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
        case cudaDevAttrMaxSurfaceCubemapLayeredLayers:
        case cudaDevAttrMaxTexture1DMipmappedWidth:
        case cudaDevAttrMaxTexture2DMipmappedWidth:
        case cudaDevAttrMaxTexture2DMipmappedHeight:
            return 0;
        default:
            return kUnknown;
    }
}

std::map<cudaLimit, std::size_t>& limits() {
    static auto* it = new std::map<cudaLimit, std::size_t>{{cudaLimitStackSize, 1024},
                                                           {cudaLimitPrintfFifoSize, std::size_t{7} << 20},
                                                           {cudaLimitMallocHeapSize, std::size_t{8} << 20},
                                                           {cudaLimitDevRuntimePendingLaunchCount, 2048},
                                                           {cudaLimitMaxL2FetchGranularity, 64},
                                                           {cudaLimitPersistingL2CacheSize, 0}};
    return *it;
}

cudaError_t only_device_0(const char* name, int device) {
    return api(name, kPlain, [&](Runtime&) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t harmless(const char* name) {
    return api(name, kPlain, [](Runtime&) { return cudaSuccess; });
}

template <class Value>
cudaError_t give(const char* name, Value* out, Value value) {
    return api(name, kPlain, [&](Runtime&) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        *out = value;
        return cudaSuccess;
    });
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) { return vgpu::error_name(error); }
const char* cudaGetErrorString(cudaError_t error) { return vgpu::error_text(error); }
cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(last_error(true)); }
cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(last_error(false)); }

cudaError_t cudaGetDeviceCount(int* count) { return give("cudaGetDeviceCount", count, 1); }
cudaError_t cudaGetDevice(int* device) { return give("cudaGetDevice", device, 0); }
cudaError_t cudaSetDevice(int device) { return only_device_0("cudaSetDevice", device); }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return only_device_0("cudaInitDevice", device); }
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return give("cudaChooseDevice", device, 0); }
cudaError_t cudaSetValidDevices(int*, int) { return harmless("cudaSetValidDevices"); }
cudaError_t cudaSetDeviceFlags(unsigned) { return harmless("cudaSetDeviceFlags"); }
cudaError_t cudaGetDeviceFlags(unsigned* flags) { return give("cudaGetDeviceFlags", flags, 0u); }
cudaError_t cudaDriverGetVersion(int* version) { return give("cudaDriverGetVersion", version, kVersion); }
cudaError_t cudaRuntimeGetVersion(int* version) { return give("cudaRuntimeGetVersion", version, kVersion); }
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    return device == 0 && peer == 0 ? give("cudaDeviceCanAccessPeer", can, 0)
                                    : only_device_0("cudaDeviceCanAccessPeer", device != 0 ? device : peer);
}
cudaError_t cudaDeviceGetPCIBusId(char* out, int length, int device) {
    return api("cudaDeviceGetPCIBusId", kPlain, [&](Runtime&) {
        if (out == nullptr || length < 13) {
            return cudaErrorInvalidValue;
        }
        if (device != 0) {
            return cudaErrorInvalidDevice;
        }
        std::snprintf(out, static_cast<std::size_t>(length), "%s", kBusId);
        return cudaSuccess;
    });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
    const bool is_ours = id != nullptr && std::strcmp(id, kBusId) == 0;
    return is_ours ? give("cudaDeviceGetByPCIBusId", device, 0) : only_device_0("cudaDeviceGetByPCIBusId", -1);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int device) {
    return api("cudaGetDeviceProperties", kPlain, [&](Runtime& runtime) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        if (device != 0) {
            return cudaErrorInvalidDevice;
        }
        *out = properties(runtime.profile());
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* out, cudaDeviceAttr which, int device) {
    return api("cudaDeviceGetAttribute", kPlain, [&](Runtime& runtime) {
        if (out == nullptr || which < 1 || which >= cudaDevAttrMax) {
            return cudaErrorInvalidValue;
        }
        if (device != 0) {
            return cudaErrorInvalidDevice;
        }
        const int value = attribute(runtime.profile(), which);
        if (value == kUnknown) {
            return static_cast<cudaError_t>(lacks("attribute " + std::to_string(which) + " of a device"));
        }
        *out = value;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetLimit(std::size_t* out, cudaLimit limit) {
    return api("cudaDeviceGetLimit", kPlain, [&](Runtime&) {
        const auto found = limits().find(limit);
        if (out == nullptr || found == limits().end()) {
            return cudaErrorUnsupportedLimit;
        }
        *out = found->second;
        return cudaSuccess;
    });
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    return api("cudaDeviceSetLimit", kPlain, [&](Runtime& runtime) {
        const auto found = limits().find(limit);
        if (found == limits().end()) {
            return cudaErrorUnsupportedLimit;
        }
        found->second = value;
        if (limit == cudaLimitDevRuntimePendingLaunchCount) {
            runtime.pending_launches = static_cast<std::uint32_t>(std::min<std::size_t>(value, UINT32_MAX));
        }
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return api("cudaDeviceGetStreamPriorityRange", kPlain, [&](Runtime&) {
        if (least != nullptr) {
            *least = 0;
        }
        if (greatest != nullptr) {
            *greatest = -5;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceReset() {
    return api("cudaDeviceReset", kAlways, [](Runtime& runtime) {
        runtime.background.finish();
        runtime.pending.order().host_waits_for_all();
        runtime.pending.settle();
        runtime.managed.forget_managed();
        runtime.session->release_all();
        forget_pools();
        runtime.session->reset();
        forget_errors();
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return harmless("cudaDeviceSetCacheConfig"); }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* out) {
    return give("cudaDeviceGetCacheConfig", out, cudaFuncCachePreferNone);
}
// Banks of 4 bytes, as all devices of today have: the setting has no effect there either.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return harmless("cudaDeviceSetSharedMemConfig"); }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* out) {
    return give("cudaDeviceGetSharedMemConfig", out, cudaSharedMemBankSizeFourByte);
}
cudaError_t cudaCtxResetPersistingL2Cache() { return harmless("cudaCtxResetPersistingL2Cache"); }
VGPU_EXPORT cudaError_t cudaProfilerStart() { return harmless("cudaProfilerStart"); }
VGPU_EXPORT cudaError_t cudaProfilerStop() { return harmless("cudaProfilerStop"); }

cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) { return harmless("cudaStreamCopyAttributes"); }
VGPU_EXPORT cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t, cudaStream_t) {
    return harmless("cudaStreamCopyAttributes");
}
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaLaunchAttributeID, const cudaLaunchAttributeValue*) {
    return harmless("cudaStreamSetAttribute");
}
