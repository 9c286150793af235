// Texture and surface objects: a description in device memory, whose address is the handle.
#include <cstring>
#include <map>

#include "virtual_gpu/memory/texture.h"
#include "virtual_gpu/runtime/arrays.h"
#include "virtual_gpu/runtime/missing.h"
#include "virtual_gpu/runtime/runtime.h"

namespace {

using namespace vgpu::runtime;
using vgpu::DevicePtr;
using vgpu::TextureObject;

constexpr std::size_t kBaseAlignment = 512, kPitchAlignment = 32;  // as the device's attributes say

struct Made {
    cudaResourceDesc resource{};
    cudaTextureDesc texture{};
    bool is_surface = false;
};
std::map<DevicePtr, Made>& objects() {
    static auto* it = new std::map<DevicePtr, Made>;
    return *it;
}

bool set_format(const cudaChannelFormatDesc& f, TextureObject& out) {
    if (texel_bytes(f) == 0) {
        return false;
    }
    out.bits = static_cast<std::uint8_t>(f.x);
    out.channels = f.w != 0 ? 4 : f.y != 0 ? 2 : 1;
    out.kind = f.f == cudaChannelFormatKindFloat    ? TextureObject::kFloat
               : f.f == cudaChannelFormatKindSigned ? TextureObject::kSigned
                                                    : TextureObject::kUnsigned;
    return true;
}

bool is_inside(Runtime& runtime, const void* pointer, std::size_t bytes) {
    DevicePtr base = 0;
    std::size_t size = 0;
    const auto at = reinterpret_cast<DevicePtr>(pointer);
    return is_device_address(pointer) && runtime.session->find(at, base, size) && at >= base && at - base <= size &&
           bytes <= size - (at - base);
}

cudaError_t describe(Runtime& runtime, const cudaResourceDesc& r, TextureObject& out) {
    switch (r.resType) {
        case cudaResourceTypeArray: {
            const Array* array = array_of(r.res.array.array);
            if (array == nullptr || !set_format(array->format, out)) {
                return cudaErrorInvalidValue;
            }
            out.first = array->base;
            out.pitch = array->pitch;
            out.slice = array->slice;
            out.dimensions = static_cast<std::uint8_t>(array->dimensions());
            out.extent[0] = static_cast<std::uint32_t>(array->extent.width);
            out.extent[1] = static_cast<std::uint32_t>(array->rows());
            out.extent[2] = array->is_layered() ? 1 : static_cast<std::uint32_t>(array->slices());
            out.layers = array->is_layered() ? static_cast<std::uint32_t>(array->slices()) : 0;
            return cudaSuccess;
        }
        case cudaResourceTypeLinear: {
            const auto& linear = r.res.linear;
            const std::size_t texel = texel_bytes(linear.desc);
            if (!set_format(linear.desc, out) || linear.sizeInBytes < texel ||
                linear.sizeInBytes / texel > TextureObject::kMost ||
                reinterpret_cast<DevicePtr>(linear.devPtr) % kBaseAlignment != 0 ||
                !is_inside(runtime, linear.devPtr, linear.sizeInBytes)) {
                return cudaErrorInvalidValue;
            }
            out.first = reinterpret_cast<DevicePtr>(linear.devPtr);
            out.extent[0] = static_cast<std::uint32_t>(linear.sizeInBytes / texel);
            out.is_buffer = 1;
            return cudaSuccess;
        }
        case cudaResourceTypePitch2D: {
            const auto& p = r.res.pitch2D;
            const std::size_t texel = texel_bytes(p.desc);
            if (!set_format(p.desc, out) || p.width == 0 || p.height == 0 || p.width > 131072 || p.height > 65536 ||
                p.width * texel > p.pitchInBytes || p.pitchInBytes % kPitchAlignment != 0 ||
                p.pitchInBytes >= (std::size_t{1} << 31) ||
                reinterpret_cast<DevicePtr>(p.devPtr) % kBaseAlignment != 0 ||
                !is_inside(runtime, p.devPtr, (p.height - 1) * p.pitchInBytes + p.width * texel)) {
                return cudaErrorInvalidValue;
            }
            out.first = reinterpret_cast<DevicePtr>(p.devPtr);
            out.pitch = p.pitchInBytes;
            out.dimensions = 2;
            out.extent[0] = static_cast<std::uint32_t>(p.width);
            out.extent[1] = static_cast<std::uint32_t>(p.height);
            return cudaSuccess;
        }
        default:
            return static_cast<cudaError_t>(lacks("a mipmapped array"));
    }
}

cudaError_t set_reading(const cudaTextureDesc& t, TextureObject& out) {
    if (t.sRGB != 0) {
        return static_cast<cudaError_t>(lacks("textures in sRGB"));
    }
    const bool is_float = out.kind == TextureObject::kFloat;
    const bool gives_floats = t.readMode == cudaReadModeNormalizedFloat && !is_float;
    if (gives_floats && out.bits == 32) {
        return cudaErrorInvalidNormSetting;
    }
    const bool is_filtered = t.filterMode == cudaFilterModeLinear && out.is_buffer == 0;
    if (is_filtered && !is_float && !gives_floats) {
        return cudaErrorInvalidFilterSetting;
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (t.addressMode[axis] < cudaAddressModeWrap || t.addressMode[axis] > cudaAddressModeBorder) {
            return cudaErrorInvalidValue;
        }
        out.address[axis] = static_cast<std::uint8_t>(t.addressMode[axis]);
    }
    std::memcpy(out.border, t.borderColor, sizeof out.border);
    out.is_filtered = is_filtered ? 1 : 0;
    out.is_normalized = t.normalizedCoords != 0 && out.is_buffer == 0 ? 1 : 0;
    out.gives_floats = gives_floats ? 1 : 0;
    return cudaSuccess;
}

cudaError_t make(Runtime& runtime, TextureObject& object, const Made& made, unsigned long long* out) {
    vgpu::CopyCall call;
    call.name = made.is_surface ? "cudaCreateSurfaceObject" : "cudaCreateTextureObject";
    call.way = vgpu::Way::host_to_device;
    call.width = sizeof object;
    call.place = vgpu::host_place();
    vgpu::Status status = runtime.session->allocate(sizeof object, false, runtime.legacy.id, call.place, call.to);
    if (status == vgpu::Status::ok) {
        status = runtime.session->copy(call, nullptr, &object);
    }
    if (status == vgpu::Status::ok) {
        objects()[call.to] = made;
        *out = call.to;
    }
    return to_cuda(status);
}

cudaError_t destroy(const char* name, unsigned long long handle, bool is_surface) {
    return api(name, kAlways, [&](Runtime& runtime) {
        const auto found = objects().find(handle);
        if (found == objects().end() || found->second.is_surface != is_surface) {
            return handle == 0 ? cudaSuccess : cudaErrorInvalidValue;
        }
        objects().erase(found);
        return to_cuda(runtime.session->release(handle, name, false, runtime.legacy.id, vgpu::host_place()));
    });
}

template <class Value>
cudaError_t give(const char* name, unsigned long long handle, bool is_surface, Value* out, Value Made::*what) {
    return api(name, kPlain, [&](Runtime&) {
        const auto found = objects().find(handle);
        if (found == objects().end() || found->second.is_surface != is_surface || out == nullptr) {
            return cudaErrorInvalidValue;
        }
        *out = found->second.*what;
        return cudaSuccess;
    });
}

}  // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* out, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
    return api("cudaCreateTextureObject", kPlain, [&](Runtime& runtime) {
        if (out == nullptr || resource == nullptr || texture == nullptr) {
            return cudaErrorInvalidValue;
        }
        if (view != nullptr && view->format != cudaResViewFormatNone) {
            return static_cast<cudaError_t>(lacks("views of an array in another format"));
        }
        TextureObject object;
        cudaError_t error = describe(runtime, *resource, object);
        error = error != cudaSuccess ? error : set_reading(*texture, object);
        return error != cudaSuccess ? error : make(runtime, object, {*resource, *texture, false}, out);
    });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
    return destroy("cudaDestroyTextureObject", handle, false);
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* out, cudaTextureObject_t handle) {
    return give("cudaGetTextureObjectResourceDesc", handle, false, out, &Made::resource);
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* out, cudaTextureObject_t handle) {
    return give("cudaGetTextureObjectTextureDesc", handle, false, out, &Made::texture);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* out, const cudaResourceDesc* resource) {
    return api("cudaCreateSurfaceObject", kPlain, [&](Runtime& runtime) {
        if (out == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray) {
            return cudaErrorInvalidValue;
        }
        const Array* array = array_of(resource->res.array.array);
        if (array == nullptr || (array->flags & cudaArraySurfaceLoadStore) == 0) {
            return cudaErrorInvalidValue;
        }
        TextureObject object;
        object.is_surface = 1;
        const cudaError_t error = describe(runtime, *resource, object);
        return error != cudaSuccess ? error : make(runtime, object, {*resource, {}, true}, out);
    });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
    return destroy("cudaDestroySurfaceObject", handle, true);
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* out, cudaSurfaceObject_t handle) {
    return give("cudaGetSurfaceObjectResourceDesc", handle, true, out, &Made::resource);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* out, const cudaChannelFormatDesc* format, int device) {
    return api("cudaDeviceGetTexture1DLinearMaxWidth", kPlain, [&](Runtime&) {
        if (out == nullptr || format == nullptr || texel_bytes(*format) == 0) {
            return cudaErrorInvalidValue;
        }
        *out = TextureObject::kMost;
        return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
    });
}
