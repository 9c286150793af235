// Device and host memory: allocation, release, what a pointer is.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "virtual_gpu/runtime/runtime.h"

namespace {

using namespace vgpu::runtime;
using vgpu::counted;
using vgpu::DevicePtr;

cudaError_t allocate(const char* name, void** out, std::size_t bytes, double host_seconds) {
    return api(name, kWork, [&](Runtime& runtime) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        runtime.clock.call(host_seconds);
        if (bytes == 0) {  // CUDA gives a null pointer and no error
            *out = nullptr;
            return cudaSuccess;
        }
        Made made{bytes, host_stack(), {}};
        DevicePtr base = 0;
        const std::string label = "allocation of " + counted(bytes, "byte") + " made at " + token_of(made.stack);
        const vgpu::Status status = runtime.device->allocate(bytes, label, base);
        if (status != vgpu::Status::ok) {
            return to_cuda(status);
        }
        runtime.freed.erase(base);
        runtime.allocations[base] = std::move(made);
        *out = reinterpret_cast<void*>(base);
        return cudaSuccess;
    });
}

void report_bad_free(Runtime& runtime, const char* name, DevicePtr pointer) {
    vgpu::Finding f;
    f.kind = vgpu::Kind::invalid_access;
    f.count = 1;
    f.place = place_of(host_stack());
    f.what = std::string(name) + " was given a pointer that ";
    DevicePtr base = 0;
    std::size_t bytes = 0;
    const auto freed = runtime.freed.find(pointer);
    if (freed != runtime.freed.end()) {
        f.what += "was freed already, at " + text_of(place_of(freed->second));
    } else if (!is_device_address(reinterpret_cast<void*>(pointer))) {
        f.what += "is no device pointer";
    } else if (runtime.device->find(pointer, base, bytes) && pointer != base) {
        f.what += "is not the start of its allocation but byte " + std::to_string(pointer - base) + " of it";
    } else {
        f.what += "cudaMalloc did not give";
    }
    runtime.add_finding(std::move(f));
}

cudaError_t release(const char* name, void* pointer, double host_seconds, bool waits) {
    return api(name, kAlways, [&](Runtime& runtime) {
        runtime.clock.call(host_seconds);
        if (pointer == nullptr) {
            return cudaSuccess;
        }
        if (waits) {
            runtime.clock.wait_for(runtime.clock.all_ready());
        }
        const auto base = reinterpret_cast<DevicePtr>(pointer);
        const auto made = runtime.allocations.find(base);
        if (made == runtime.allocations.end()) {
            report_bad_free(runtime, name, base);
            return cudaErrorInvalidValue;
        }
        if (runtime.freed.size() > 10000) {
            runtime.freed.clear();
        }
        runtime.freed[base] = host_stack();
        runtime.allocations.erase(made);
        return to_cuda(runtime.device->release(base));
    });
}

cudaError_t allocate_async(const char* name, void** out, std::size_t bytes) {
    return allocate(name, out, bytes, Runtime::get().profile.allocate_async);
}

cudaError_t host_allocate(const char* name, void** out, std::size_t bytes, unsigned flags) {
    return api(name, kWork, [&](Runtime& runtime) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        runtime.clock.call(runtime.profile.allocate);
        if (bytes == 0) {
            *out = nullptr;
            return cudaSuccess;
        }
        void* memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
        if (memory == nullptr) {
            return cudaErrorMemoryAllocation;
        }
        runtime.host_ranges[reinterpret_cast<std::uintptr_t>(memory)] = {bytes, flags, true};
        *out = memory;
        return cudaSuccess;
    });
}

const HostRange* host_range(const Runtime& runtime, const void* pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto next = runtime.host_ranges.upper_bound(address);
    if (next == runtime.host_ranges.begin()) {
        return nullptr;
    }
    --next;
    return address < next->first + next->second.bytes ? &next->second : nullptr;
}

}  // namespace

cudaError_t cudaMalloc(void** out, std::size_t bytes) {
    return allocate("cudaMalloc", out, bytes, Runtime::get().profile.allocate);
}
cudaError_t cudaFree(void* pointer) { return release("cudaFree", pointer, Runtime::get().profile.release, true); }
cudaError_t cudaMallocAsync(void** out, std::size_t bytes, cudaStream_t) {
    return allocate_async("cudaMallocAsync", out, bytes);
}
VGPU_EXPORT cudaError_t cudaMallocAsync_ptsz(void** out, std::size_t bytes, cudaStream_t) {
    return allocate_async("cudaMallocAsync", out, bytes);
}
cudaError_t cudaMallocFromPoolAsync(void** out, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
    return allocate_async("cudaMallocFromPoolAsync", out, bytes);
}
VGPU_EXPORT cudaError_t cudaMallocFromPoolAsync_ptsz(void** out, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
    return allocate_async("cudaMallocFromPoolAsync", out, bytes);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) {
    return release("cudaFreeAsync", pointer, Runtime::get().profile.allocate_async, false);
}
VGPU_EXPORT cudaError_t cudaFreeAsync_ptsz(void* pointer, cudaStream_t) {
    return release("cudaFreeAsync", pointer, Runtime::get().profile.allocate_async, false);
}
cudaError_t cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
    if (pitch == nullptr) {
        return static_cast<cudaError_t>(set_last_error("cudaMallocPitch", cudaErrorInvalidValue));
    }
    *pitch = (width + 511) / 512 * 512;
    return allocate("cudaMallocPitch", out, *pitch * height, Runtime::get().profile.allocate);
}

cudaError_t cudaMallocManaged(void**, std::size_t, unsigned) {
    std::fprintf(stderr,
                 "virtual GPU: cudaMallocManaged: managed memory is not supported; use cudaMalloc and "
                 "cudaMemcpy\n");
    return static_cast<cudaError_t>(set_last_error("cudaMallocManaged", cudaErrorNotSupported));
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
        const auto found = runtime.host_ranges.find(reinterpret_cast<std::uintptr_t>(pointer));
        if (found == runtime.host_ranges.end() || !found->second.ours) {
            return cudaErrorInvalidValue;
        }
        runtime.host_ranges.erase(found);
        std::free(pointer);
        return cudaSuccess;
    });
}
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    return api("cudaHostRegister", kPlain, [&](Runtime& runtime) {
        if (pointer == nullptr || bytes == 0) {
            return cudaErrorInvalidValue;
        }
        if (host_range(runtime, pointer) != nullptr) {
            return cudaErrorHostMemoryAlreadyRegistered;
        }
        runtime.host_ranges[reinterpret_cast<std::uintptr_t>(pointer)] = {bytes, flags, false};
        return cudaSuccess;
    });
}
cudaError_t cudaHostUnregister(void* pointer) {
    return api("cudaHostUnregister", kAlways, [&](Runtime& runtime) {
        const auto found = runtime.host_ranges.find(reinterpret_cast<std::uintptr_t>(pointer));
        if (found == runtime.host_ranges.end() || found->second.ours) {
            return cudaErrorHostMemoryNotRegistered;
        }
        runtime.host_ranges.erase(found);
        return cudaSuccess;
    });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
    return api("cudaHostGetFlags", kPlain, [&](Runtime& runtime) {
        const HostRange* range = host_range(runtime, pointer);
        if (range == nullptr || flags == nullptr) {
            return cudaErrorInvalidValue;
        }
        *flags = range->flags;
        return cudaSuccess;
    });
}
cudaError_t cudaHostGetDevicePointer(void**, void*, unsigned) {
    std::fprintf(stderr, "virtual GPU: cudaHostGetDevicePointer: kernels cannot reach host memory here; copy it\n");
    return static_cast<cudaError_t>(set_last_error("cudaHostGetDevicePointer", cudaErrorNotSupported));
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
    return api("cudaMemGetInfo", kPlain, [&](Runtime& runtime) {
        if (free_bytes != nullptr) {
            *free_bytes = runtime.device->bytes_free();
        }
        if (total != nullptr) {
            *total = runtime.options.memory_limit != 0 ? runtime.options.memory_limit : runtime.profile.memory_bytes;
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
        if (is_device_address(pointer)) {
            const auto at = reinterpret_cast<DevicePtr>(pointer);
            if (runtime.device->find(at, base, bytes) && at >= base && at < base + bytes) {
                out->type = cudaMemoryTypeDevice;
                out->device = 0;
                out->devicePointer = const_cast<void*>(pointer);
                return cudaSuccess;
            }
            return cudaErrorInvalidValue;
        }
        out->hostPointer = const_cast<void*>(pointer);
        if (host_range(runtime, pointer) != nullptr) {
            out->type = cudaMemoryTypeHost;
            out->device = 0;
            out->devicePointer = const_cast<void*>(pointer);
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
