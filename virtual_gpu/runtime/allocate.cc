// Device and host memory: allocation, release, what a pointer is.
#include <cstdlib>
#include <string>

#include "virtual_gpu/runtime/graph.h"
#include "virtual_gpu/runtime/missing.h"
#include "virtual_gpu/runtime/pools.h"

namespace {

using namespace vgpu::runtime;
using vgpu::DevicePtr;
using vgpu::Status;

struct InStream {  // of cudaMallocAsync and cudaFreeAsync
    cudaStream_t handle = nullptr;
    bool per_thread = false;
    bool names_pool = false;  // else it takes from the device's current one
    cudaMemPool_t pool = nullptr;
};

// While a stream is captured.
cudaError_t refuse(Runtime& runtime, Stream& stream, const InStream* in) {
    if (in == nullptr) {
        return refuse_in_any(runtime);
    }
    if (stream.at.capture) {
        static_cast<void>(refuse_in(stream));
        return static_cast<cudaError_t>(lacks("memory of a graph"));
    }
    return work_in(runtime, stream, cudaGraphNodeTypeMemAlloc, [](Runtime&, Stream&) { return cudaSuccess; });
}

cudaError_t allocate(const char* name, void** out, std::size_t bytes, const InStream* in = nullptr) {
    return api(name, kWork, [&](Runtime& runtime) {
        Stream* stream = in != nullptr ? runtime.stream_of(in->handle, in->per_thread) : &runtime.legacy;
        if (stream == nullptr) {
            return cudaErrorInvalidResourceHandle;
        }
        if (const cudaError_t error = refuse(runtime, *stream, in); error != cudaSuccess) {
            return error;
        }
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        const cudaMemPool_t pool = in != nullptr && in->names_pool ? in->pool : current_pool();
        if (in != nullptr && !is_pool(pool)) {
            return cudaErrorInvalidValue;
        }
        if (in != nullptr && !has_room(pool, bytes)) {
            return cudaErrorMemoryAllocation;
        }
        DevicePtr base = 0;  // CUDA gives a null pointer and no error for 0 bytes
        const vgpu::Status status =
            bytes == 0 ? vgpu::Status::ok
                       : runtime.session->allocate(bytes, in != nullptr, stream->id, vgpu::host_place(), base);
        if (status == vgpu::Status::ok) {
            *out = reinterpret_cast<void*>(base);
            if (in != nullptr && base != 0) {
                took_from(pool, base, bytes);
            }
        }
        return to_cuda(status);
    });
}

cudaError_t release(const char* name, void* pointer, const InStream* in = nullptr) {
    return api(name, kAlways, [&](Runtime& runtime) {
        Stream* stream = in != nullptr ? runtime.stream_of(in->handle, in->per_thread) : &runtime.legacy;
        if (stream == nullptr) {
            return cudaErrorInvalidResourceHandle;
        }
        if (const cudaError_t error = refuse(runtime, *stream, in); error != cudaSuccess) {
            return error;
        }
        if (pointer == nullptr) {
            return cudaSuccess;
        }
        if (!runtime.is_device(pointer)) {
            const bool is_pinned = runtime.host_range(pointer) != nullptr;
            runtime.session->add_finding(
                vgpu::Kind::invalid_access,
                std::string(name) + " was given a pointer " +
                    (is_pinned ? "to pinned memory" : "that is not a device pointer"),
                is_pinned
                    ? "what cudaMallocHost or cudaHostAlloc gave is freed by cudaFreeHost"
                    : "it frees what cudaMalloc gave: memory of malloc() is freed by free(), and an array of new by "
                      "delete[]",
                vgpu::host_place());
            return cudaErrorInvalidValue;
        }
        if (in != nullptr && runtime.background.is_ahead_of(*stream)) {
            runtime.background.hold(
                *stream, false, [pointer, place = vgpu::host_place()](Runtime& device, Stream& its) {
                    const auto at = reinterpret_cast<DevicePtr>(pointer);
                    return to_cuda(device.session->release(at, "cudaFreeAsync", true, its.id, place));
                });
            return cudaSuccess;
        }
        if (in == nullptr) {
            if (const cudaError_t error = runtime.background.finish(); error != cudaSuccess) {
                return error;
            }
            runtime.waited();
            runtime.pending.order().host_waits_for_all();
            runtime.pending.settle();
        }
        runtime.managed.forget(reinterpret_cast<std::uintptr_t>(pointer));
        const auto at = reinterpret_cast<DevicePtr>(pointer);
        const Status status = runtime.session->release(at, name, in != nullptr, stream->id, vgpu::host_place());
        if (status == Status::ok) {
            gave_back(at);
        }
        return to_cuda(status);
    });
}

cudaError_t allocate_in(const char* name, void** out, std::size_t bytes, const InStream& in) {
    return allocate(name, out, bytes, &in);
}
cudaError_t release_in(void* pointer, const InStream& in) { return release("cudaFreeAsync", pointer, &in); }

cudaError_t host_allocate(const char* name, void** out, std::size_t bytes, unsigned flags) {
    return api(name, kWork, [&](Runtime& runtime) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        if (bytes == 0) {
            *out = nullptr;
            return cudaSuccess;
        }
        void* memory = nullptr;
        if (runtime.local != nullptr) {
            const cudaError_t error = runtime.allocate_shared(memory, bytes);
            if (error != cudaSuccess) {
                return error;
            }
        } else {
            runtime.session->spend(runtime.profile().allocate);
            memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
            if (memory == nullptr) {
                return cudaErrorMemoryAllocation;
            }
        }
        runtime.host_ranges[reinterpret_cast<std::uintptr_t>(memory)] = {
            bytes, flags,
            true,  runtime.report_leaks ? vgpu::host_place() : vgpu::HostPlace(),
            false, runtime.local != nullptr};
        *out = memory;
        return cudaSuccess;
    });
}

}  // namespace

cudaError_t cudaMalloc(void** out, std::size_t bytes) { return allocate("cudaMalloc", out, bytes); }
cudaError_t cudaFree(void* pointer) { return release("cudaFree", pointer); }
cudaError_t cudaMallocAsync(void** out, std::size_t bytes, cudaStream_t stream) {
    return allocate_in("cudaMallocAsync", out, bytes, {stream, false});
}
VGPU_EXPORT cudaError_t cudaMallocAsync_ptsz(void** out, std::size_t bytes, cudaStream_t stream) {
    return allocate_in("cudaMallocAsync", out, bytes, {stream, true});
}
cudaError_t cudaMallocFromPoolAsync(void** out, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return allocate_in("cudaMallocFromPoolAsync", out, bytes, {stream, false, true, pool});
}
VGPU_EXPORT cudaError_t cudaMallocFromPoolAsync_ptsz(void** out, std::size_t bytes, cudaMemPool_t pool,
                                                     cudaStream_t stream) {
    return allocate_in("cudaMallocFromPoolAsync", out, bytes, {stream, true, true, pool});
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) { return release_in(pointer, {stream, false}); }
VGPU_EXPORT cudaError_t cudaFreeAsync_ptsz(void* pointer, cudaStream_t stream) {
    return release_in(pointer, {stream, true});
}
cudaError_t cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
    if (pitch == nullptr) {
        return static_cast<cudaError_t>(set_last_error("cudaMallocPitch", cudaErrorInvalidValue));
    }
    *pitch = (width + 511) / 512 * 512;
    return allocate("cudaMallocPitch", out, *pitch * height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
    if (out == nullptr) {
        return static_cast<cudaError_t>(set_last_error("cudaMalloc3D", cudaErrorInvalidValue));
    }
    const std::size_t pitch = (extent.width + 511) / 512 * 512;
    void* memory = nullptr;
    const cudaError_t error = allocate("cudaMalloc3D", &memory, pitch * extent.height * extent.depth);
    if (error == cudaSuccess) {
        *out = {memory, pitch, extent.width, extent.height};
    }
    return error;
}

cudaError_t cudaMallocManaged(void** out, std::size_t bytes, unsigned flags) {
    const cudaError_t refused = api("cudaMallocManaged", kPlain, [](Runtime& runtime) {
        return runtime.local != nullptr ? cudaSuccess : static_cast<cudaError_t>(lacks("managed memory"));
    });
    if (refused != cudaSuccess) {
        return refused;
    }
    if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) {
        return static_cast<cudaError_t>(set_last_error("cudaMallocManaged", cudaErrorInvalidValue));
    }
    const cudaError_t error = allocate("cudaMallocManaged", out, bytes);
    if (error != cudaSuccess) {
        return error;
    }
    return api("cudaMallocManaged", kPlain, [&](Runtime& runtime) {
        const auto at = reinterpret_cast<std::uintptr_t>(*out);
        int file = -1;
        const std::string name = "managed memory of " + vgpu::counted(bytes, "byte");
        return runtime.local->share(at, false, file) == vgpu::Status::ok &&
                       runtime.managed.make(at, bytes, file, ManagedMemory::Sort::managed, name)
                   ? cudaSuccess
                   : cudaErrorMemoryAllocation;
    });
}

cudaError_t cudaMallocHost(void** out, std::size_t bytes) { return host_allocate("cudaMallocHost", out, bytes, 0); }
cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned flags) {
    return host_allocate("cudaHostAlloc", out, bytes, flags);
}
cudaError_t cudaFreeHost(void* pointer) {
    return api("cudaFreeHost", kAlways, [&](Runtime& runtime) {
        if (pointer == nullptr) {
            return cudaSuccess;
        }
        runtime.background.finish();
        const auto found = runtime.host_ranges.find(reinterpret_cast<std::uintptr_t>(pointer));
        if (found == runtime.host_ranges.end() || !found->second.ours) {
            runtime.session->add_finding(
                vgpu::Kind::invalid_access, "cudaFreeHost was given a pointer that cudaMallocHost did not give",
                is_device_address(pointer) ? "an array of cudaMalloc is freed by cudaFree"
                                           : "cudaFreeHost frees what cudaMallocHost gave, once",
                vgpu::host_place());
            return cudaErrorInvalidValue;
        }
        if (const auto copy = runtime.pending.take(found->first, found->second.bytes)) {
            runtime.tell_pending(*copy, "freed", vgpu::host_place());
        }
        runtime.pending.forget(found->first, found->second.bytes);
        runtime.waited();
        if (runtime.managed.forget(found->first)) {
            runtime.local->release_on_host(found->first, vgpu::host_place());
        } else {
            std::free(pointer);
        }
        runtime.host_ranges.erase(found);
        return cudaSuccess;
    });
}
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    return api("cudaHostRegister", kPlain, [&](Runtime& runtime) {
        constexpr unsigned kKnown = cudaHostRegisterPortable | cudaHostRegisterMapped;
        if (pointer == nullptr || bytes == 0) {
            return cudaErrorInvalidValue;
        }
        if ((flags & ~kKnown) != 0) {  // memory of other devices, or that kernels must not write
            const bool is_flag = (flags & ~(kKnown | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly)) == 0;
            return is_flag ? static_cast<cudaError_t>(lacks("memory of a device or that kernels only read"))
                           : cudaErrorInvalidValue;
        }
        if (runtime.local == nullptr && (flags & cudaHostRegisterMapped) != 0) {
            return cudaErrorNotSupported;
        }
        const auto at = reinterpret_cast<std::uintptr_t>(pointer);
        const auto next = runtime.host_ranges.lower_bound(at);
        if (runtime.host_range(pointer) != nullptr || (next != runtime.host_ranges.end() && next->first - at < bytes)) {
            return cudaErrorHostMemoryAlreadyRegistered;
        }
        if (runtime.local != nullptr) {
            if (const auto status = runtime.local->adopt(at, bytes, vgpu::host_place()); status != vgpu::Status::ok) {
                return to_cuda(status);
            }
            runtime.managed.adopt(at, bytes);
        }
        runtime.host_ranges[at] = {bytes, flags, false, {}, false, runtime.local != nullptr};
        return cudaSuccess;
    });
}
cudaError_t cudaHostUnregister(void* pointer) {
    return api("cudaHostUnregister", kAlways, [&](Runtime& runtime) {
        runtime.background.finish();
        const auto found = runtime.host_ranges.find(reinterpret_cast<std::uintptr_t>(pointer));
        if (found == runtime.host_ranges.end() || found->second.ours) {
            return cudaErrorHostMemoryNotRegistered;
        }
        if (runtime.managed.forget(found->first)) {
            runtime.local->abandon(found->first);
        }
        runtime.host_ranges.erase(found);
        return cudaSuccess;
    });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
    return api("cudaHostGetFlags", kPlain, [&](Runtime& runtime) {
        const auto* range = runtime.host_range(pointer);
        if (range == nullptr || flags == nullptr) {
            return cudaErrorInvalidValue;
        }
        *flags = range->second.flags;
        return cudaSuccess;
    });
}
cudaError_t cudaHostGetDevicePointer(void** out, void* pointer, unsigned flags) {
    return api("cudaHostGetDevicePointer", kPlain, [&](Runtime& runtime) {
        const auto* range = runtime.host_range(pointer);
        if (out == nullptr || range == nullptr || flags != 0) {
            return cudaErrorInvalidValue;
        }
        if (!range->second.is_shared) {
            return static_cast<cudaError_t>(lacks("memory of the host that kernels reach"));
        }
        *out = pointer;
        return cudaSuccess;
    });
}

cudaError_t Runtime::allocate_shared(void*& out, std::size_t bytes) {
    DevicePtr at = 0;
    int file = -1;
    const vgpu::Status status = local->allocate_on_host(bytes, vgpu::host_place(), at, file);
    if (status != vgpu::Status::ok) {
        return to_cuda(status);
    }
    if (!managed.make(at, bytes, file, ManagedMemory::Sort::pinned,
                      "pinned memory of " + vgpu::counted(bytes, "byte"))) {
        local->release_on_host(at, "");
        return cudaErrorMemoryAllocation;
    }
    out = reinterpret_cast<void*>(at);
    return cudaSuccess;
}

bool Runtime::is_managed(const void* pointer) { return managed.is_managed(pointer) || variable_at(pointer) != nullptr; }

// Where managed memory should be makes no difference here.
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
    return api("cudaMemPrefetchAsync", kPlain,
               [&](Runtime& runtime) { return runtime.is_managed(pointer) ? cudaSuccess : cudaErrorInvalidValue; });
}
VGPU_EXPORT cudaError_t cudaMemPrefetchAsync_ptsz(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                                  unsigned flags, cudaStream_t stream) {
    return cudaMemPrefetchAsync(pointer, bytes, location, flags, stream);
}
cudaError_t cudaMemAdvise(const void* pointer, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
    return api("cudaMemAdvise", kPlain,
               [&](Runtime& runtime) { return runtime.is_managed(pointer) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* pointer, std::size_t, unsigned) {
    return api("cudaStreamAttachMemAsync", kPlain,
               [&](Runtime& runtime) { return runtime.is_managed(pointer) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
    return api("cudaMemGetInfo", kPlain, [&](Runtime& runtime) {
        if (free_bytes != nullptr) {
            *free_bytes = runtime.session->bytes_free();
        }
        if (total != nullptr) {
            *total = runtime.session->bytes_total();
        }
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* pointer) {
    return api("cudaPointerGetAttributes", kPlain, [&](Runtime& runtime) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        *out = {};
        out->type = cudaMemoryTypeUnregistered;
        out->device = -2;  // cudaInvalidDeviceId
        DevicePtr base = 0;
        std::size_t bytes = 0;
        if (runtime.is_device(pointer)) {
            const auto at = reinterpret_cast<DevicePtr>(pointer);
            runtime.load_variables();
            if (runtime.session->find(at, base, bytes) && at >= base && at < base + bytes) {
                const bool is_managed = runtime.is_managed(pointer);
                out->type = is_managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
                out->hostPointer = is_managed ? const_cast<void*>(pointer) : nullptr;
                out->device = 0;
                out->devicePointer = const_cast<void*>(pointer);
                return cudaSuccess;
            }
            return cudaErrorInvalidValue;
        }
        out->hostPointer = const_cast<void*>(pointer);
        if (const auto* range = runtime.host_range(pointer)) {
            out->type = cudaMemoryTypeHost;
            out->device = 0;
            out->devicePointer = range->second.is_shared ? const_cast<void*>(pointer) : nullptr;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGetSymbolAddress(void** out, const void* variable) {
    return api("cudaGetSymbolAddress", kPlain, [&](Runtime& runtime) {
        DevicePtr address = 0;
        std::size_t bytes = 0;
        const cudaError_t error = runtime.symbol_of(variable, address, bytes);
        *out = reinterpret_cast<void*>(address);
        return error;
    });
}
cudaError_t cudaGetSymbolSize(std::size_t* out, const void* variable) {
    return api("cudaGetSymbolSize", kPlain, [&](Runtime& runtime) {
        DevicePtr address = 0;
        return runtime.symbol_of(variable, address, *out);
    });
}
