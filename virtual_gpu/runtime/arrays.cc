#include "virtual_gpu/runtime/arrays.h"

#include <algorithm>
#include <set>

#include "virtual_gpu/runtime/copy.h"
#include "virtual_gpu/runtime/missing.h"
#include "virtual_gpu/runtime/runtime.h"

namespace vgpu::runtime {
namespace {

std::set<const Array*>& arrays() {
    static auto* it = new std::set<const Array*>;
    return *it;
}

constexpr std::size_t kMostWidth = 131072, kMostHeight = 65536, kMostDepth = 16384, kMostLayers = 2048;

cudaError_t make(const char* name, cudaArray_t* out, const cudaChannelFormatDesc* format, cudaExtent extent,
                 unsigned flags) {
    return api(name, kWork, [&](Runtime& runtime) {
        if (out == nullptr || format == nullptr || extent.width == 0 || texel_bytes(*format) == 0) {
            return cudaErrorInvalidValue;
        }
        if ((flags & cudaArrayCubemap) != 0) {
            return static_cast<cudaError_t>(lacks("cubemaps"));
        }
        constexpr unsigned kKnown = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather;
        if ((flags & ~kKnown) != 0) {
            return static_cast<cudaError_t>(lacks("sparse arrays and arrays with color attachments"));
        }
        const bool is_layered = (flags & cudaArrayLayered) != 0;
        if (extent.width > kMostWidth || extent.height > kMostHeight ||
            extent.depth > (is_layered ? kMostLayers : kMostDepth) || (is_layered && extent.depth == 0) ||
            (!is_layered && extent.height == 0 && extent.depth != 0)) {
            return cudaErrorInvalidValue;
        }
        auto array = std::make_unique<Array>();
        array->format = *format;
        array->extent = extent;
        array->flags = flags;
        array->texel = texel_bytes(*format);
        array->pitch = (extent.width * array->texel + 31) / 32 * 32;
        array->slice = array->pitch * array->rows();
        const Status status = runtime.session->allocate(array->slice * array->slices(), false, runtime.legacy.id,
                                                        host_place(), array->base);
        if (status != Status::ok) {
            return to_cuda(status);
        }
        *out = reinterpret_cast<cudaArray_t>(array.get());
        arrays().insert(array.release());
        return cudaSuccess;
    });
}

// One row after the other of an array, from a place in it: what cudaMemcpyToArray fills.
struct Run {
    std::size_t x = 0, y = 0, bytes = 0, from = 0;
};
std::vector<Run> runs_of(const Array& array, std::size_t x, std::size_t y, std::size_t bytes) {
    std::vector<Run> runs;
    const std::size_t width = array.extent.width * array.texel;
    for (std::size_t done = 0; done < bytes; ++y, x = 0) {
        const std::size_t now = x < width ? std::min(bytes - done, width - x) : 0;
        if (now == 0 || y >= array.rows()) {
            return {};
        }
        runs.push_back({x, y, now, done});
        done += now;
    }
    return runs;
}

char* place_in(const Array& array, std::size_t x, std::size_t y) {
    return reinterpret_cast<char*>(array.base) + y * array.pitch + x;
}

bool holds(const Array& array, std::size_t x, std::size_t y, std::size_t width, std::size_t height) {
    const std::size_t all = array.extent.width * array.texel;
    return x <= all && width <= all - x && y <= array.rows() && height <= array.rows() - y;
}

cudaError_t fail(const char* name) {
    return api(name, kPlain, [](Runtime&) { return cudaErrorInvalidValue; });
}

cudaError_t copy_2d_to(const CopyRequest& request, cudaArray_t handle, std::size_t x, std::size_t y, const void* from,
                       std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    const Array* array = array_of(handle);
    return array == nullptr || !holds(*array, x, y, width, height)
               ? fail(request.name)
               : copy_rows(request, place_in(*array, x, y), array->pitch, from, pitch, width, height, kind);
}
cudaError_t copy_2d_from(const CopyRequest& request, void* to, std::size_t pitch, cudaArray_const_t handle,
                         std::size_t x, std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    const Array* array = array_of(handle);
    return array == nullptr || !holds(*array, x, y, width, height)
               ? fail(request.name)
               : copy_rows(request, to, pitch, place_in(*array, x, y), array->pitch, width, height, kind);
}

cudaError_t copy_to(const CopyRequest& request, cudaArray_t handle, std::size_t x, std::size_t y, const void* from,
                    std::size_t bytes, cudaMemcpyKind kind) {
    const Array* array = array_of(handle);
    const std::vector<Run> runs = array != nullptr ? runs_of(*array, x, y, bytes) : std::vector<Run>{};
    cudaError_t error = runs.empty() && bytes != 0 ? fail(request.name) : cudaSuccess;
    for (const Run& run : runs) {
        error = error != cudaSuccess
                    ? error
                    : copy_rows(request, place_in(*array, run.x, run.y), array->pitch,
                                static_cast<const char*>(from) + run.from, run.bytes, run.bytes, 1, kind);
    }
    return error;
}
cudaError_t copy_from(const CopyRequest& request, void* to, cudaArray_const_t handle, std::size_t x, std::size_t y,
                      std::size_t bytes, cudaMemcpyKind kind) {
    const Array* array = array_of(handle);
    const std::vector<Run> runs = array != nullptr ? runs_of(*array, x, y, bytes) : std::vector<Run>{};
    cudaError_t error = runs.empty() && bytes != 0 ? fail(request.name) : cudaSuccess;
    for (const Run& run : runs) {
        error = error != cudaSuccess ? error
                                     : copy_rows(request, static_cast<char*>(to) + run.from, run.bytes,
                                                 place_in(*array, run.x, run.y), array->pitch, run.bytes, 1, kind);
    }
    return error;
}

}  // namespace

const Array* array_of(cudaArray_const_t handle) {
    const auto* array = reinterpret_cast<const Array*>(handle);
    const std::lock_guard lock(Runtime::get().mutex);
    return arrays().contains(array) ? array : nullptr;
}

std::size_t texel_bytes(const cudaChannelFormatDesc& f) {
    const int bits = f.x, channels = f.w != 0 ? 4 : f.z != 0 ? 3 : f.y != 0 ? 2 : 1;
    const bool is_even = (channels < 2 || f.y == bits) && (channels < 3 || (f.z == bits && f.w == bits));
    const bool is_known = f.f == cudaChannelFormatKindSigned || f.f == cudaChannelFormatKindUnsigned ||
                          (f.f == cudaChannelFormatKindFloat && bits != 8);
    if (!is_known || !is_even || channels == 3 || (bits != 8 && bits != 16 && bits != 32)) {
        return 0;
    }
    return static_cast<std::size_t>(channels * bits / 8);
}

cudaPitchedPtr memory_of(const Array& array) {
    return {reinterpret_cast<void*>(array.base), array.pitch, array.extent.width * array.texel, array.rows()};
}

}  // namespace vgpu::runtime

using namespace vgpu::runtime;

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
    return {x, y, z, w, f};
}
cudaError_t cudaMallocArray(cudaArray_t* out, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned flags) {
    if ((flags & (cudaArrayLayered | cudaArrayCubemap)) != 0) {
        return fail("cudaMallocArray");
    }
    return make("cudaMallocArray", out, format, {width, height, 0}, flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t* out, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
    return make("cudaMalloc3DArray", out, format, extent, flags);
}
cudaError_t cudaFreeArray(cudaArray_t handle) {
    return api("cudaFreeArray", kAlways, [&](Runtime& runtime) {
        const Array* array = array_of(handle);
        if (array == nullptr) {
            return handle == nullptr ? cudaSuccess : cudaErrorInvalidValue;
        }
        runtime.waited();
        const Status status =
            runtime.session->release(array->base, "cudaFreeArray", false, runtime.legacy.id, vgpu::host_place());
        arrays().erase(array);
        delete array;
        return to_cuda(status);
    });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t handle) {
    return api("cudaArrayGetInfo", kPlain, [&](Runtime&) {
        const Array* array = array_of(handle);
        if (array == nullptr) {
            return cudaErrorInvalidResourceHandle;
        }
        if (format != nullptr) {
            *format = array->format;
        }
        if (extent != nullptr) {
            *extent = array->extent;
        }
        if (flags != nullptr) {
            *flags = array->flags;
        }
        return cudaSuccess;
    });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* out, cudaArray_const_t handle) {
    return api("cudaGetChannelDesc", kPlain, [&](Runtime&) {
        const Array* array = array_of(handle);
        if (array == nullptr || out == nullptr) {
            return cudaErrorInvalidValue;
        }
        *out = array->format;
        return cudaSuccess;
    });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return copy_2d_to({"cudaMemcpy2DToArray"}, to, x, y, from, pitch, width, height, kind);
}
VGPU_EXPORT cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                                 std::size_t pitch, std::size_t width, std::size_t height,
                                                 cudaMemcpyKind kind) {
    return copy_2d_to({"cudaMemcpy2DToArray", nullptr, true}, to, x, y, from, pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d_to({"cudaMemcpy2DToArrayAsync", stream, false, true}, to, x, y, from, pitch, width, height, kind);
}
VGPU_EXPORT cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                                      std::size_t pitch, std::size_t width, std::size_t height,
                                                      cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d_to({"cudaMemcpy2DToArrayAsync", stream, true, true}, to, x, y, from, pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                                  std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return copy_2d_from({"cudaMemcpy2DFromArray"}, to, pitch, from, x, y, width, height, kind);
}
VGPU_EXPORT cudaError_t cudaMemcpy2DFromArray_ptds(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                                   std::size_t y, std::size_t width, std::size_t height,
                                                   cudaMemcpyKind kind) {
    return copy_2d_from({"cudaMemcpy2DFromArray", nullptr, true}, to, pitch, from, x, y, width, height, kind);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
    return copy_2d_from({"cudaMemcpy2DFromArrayAsync", stream, false, true}, to, pitch, from, x, y, width, height,
                        kind);
}
VGPU_EXPORT cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void* to, std::size_t pitch, cudaArray_const_t from,
                                                        std::size_t x, std::size_t y, std::size_t width,
                                                        std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d_from({"cudaMemcpy2DFromArrayAsync", stream, true, true}, to, pitch, from, x, y, width, height, kind);
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                              cudaMemcpyKind kind) {
    return copy_to({"cudaMemcpyToArray"}, to, x, y, from, bytes, kind);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_to({"cudaMemcpyToArrayAsync", stream, false, true}, to, x, y, from, bytes, kind);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t bytes,
                                cudaMemcpyKind kind) {
    return copy_from({"cudaMemcpyFromArray"}, to, from, x, y, bytes, kind);
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_from({"cudaMemcpyFromArrayAsync", stream, false, true}, to, from, x, y, bytes, kind);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
                                     std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind) {
    const Array* source = array_of(from);
    if (source == nullptr || !holds(*source, x, y, width, height)) {
        return fail("cudaMemcpy2DArrayToArray");
    }
    return copy_2d_to({"cudaMemcpy2DArrayToArray"}, to, to_x, to_y, place_in(*source, x, y), source->pitch, width,
                      height, kind);
}
