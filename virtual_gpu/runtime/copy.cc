// Copies and fills.
#include "virtual_gpu/runtime/copy.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "virtual_gpu/runtime/arrays.h"
#include "virtual_gpu/runtime/graph.h"

namespace {

using namespace vgpu::runtime;
using vgpu::DevicePtr;
using vgpu::Way;

using Request = CopyRequest;

DevicePtr device_address(const void* pointer) { return reinterpret_cast<DevicePtr>(pointer); }

const char* name_of(cudaMemcpyKind kind) {
    switch (kind) {
        case cudaMemcpyHostToHost:
            return "cudaMemcpyHostToHost";
        case cudaMemcpyHostToDevice:
            return "cudaMemcpyHostToDevice";
        case cudaMemcpyDeviceToHost:
            return "cudaMemcpyDeviceToHost";
        case cudaMemcpyDeviceToDevice:
            return "cudaMemcpyDeviceToDevice";
        default:
            return "";
    }
}

// `kind` says what the caller believes; addresses say what is true.
cudaError_t way_of(Runtime& runtime, const Request& request, cudaMemcpyKind kind, const void* to, const void* from,
                   Way& out) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    const bool to_device = runtime.is_device(to);
    const bool from_device = runtime.is_device(from);
    out = to_device ? (from_device ? Way::device_to_device : Way::host_to_device)
                    : (from_device ? Way::device_to_host : Way::host_to_host);
    const bool says_to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool says_from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    // Memory that both sides have may be called either.
    const auto is_right = [&](const void* pointer, bool is_device, bool says_device) {
        if (is_device == says_device || runtime.is_managed(pointer)) {
            return true;
        }
        const auto* range = runtime.host_range(pointer);
        return range != nullptr && range->second.is_shared;
    };
    if (kind == cudaMemcpyDefault || to == nullptr || from == nullptr ||
        (is_right(to, to_device, says_to_device) && is_right(from, from_device, says_from_device))) {
        return cudaSuccess;
    }
    runtime.session->add_finding(vgpu::Kind::invalid_access,
                                 std::string(request.name) + " was told " + name_of(kind) + ", but it was given a " +
                                     (to_device ? "device" : "host") + " pointer to copy to and a " +
                                     (from_device ? "device" : "host") + " pointer to copy from",
                                 "the order is (to, from, bytes, kind)", vgpu::host_place());
    return cudaErrorInvalidValue;
}

// The pinned memory that it points into, and its bytes from there on.
struct Pinned {
    bool is_pinned = false, is_ours = false;
    std::size_t bytes = 0;
    bool is_small = false;  // all of it is in one page
};

Pinned pinned(const Runtime& runtime, const void* pointer) {
    const auto* found = runtime.host_range(pointer);
    if (found == nullptr) {
        return {};
    }
    const auto& [base, range] = *found;
    return {true, range.ours, base + range.bytes - reinterpret_cast<std::uintptr_t>(pointer), range.bytes <= 4096};
}

// Where this library reads and writes it: the host's view of pinned memory may be closed.
std::byte* view_of(Runtime& runtime, const void* pointer) {
    const auto* found = runtime.host_range(pointer);
    std::byte* view = found != nullptr && found->second.is_shared
                          ? runtime.local->view(reinterpret_cast<std::uintptr_t>(pointer))
                          : nullptr;
    return view != nullptr ? view : static_cast<std::byte*>(const_cast<void*>(pointer));
}

struct Rows {  // of one side of a copy
    std::size_t to_pitch = 0, from_pitch = 0, width = 0, height = 1;
};

void forget_pending(Runtime& runtime, const void* memory, std::size_t pitch, const Rows& rows) {
    if (!runtime.is_device(memory)) {
        runtime.pending.forget(reinterpret_cast<std::uintptr_t>(memory), (rows.height - 1) * pitch + rows.width);
    }
}

// What has been copied, and whether the host has waited for it.
void follow(Runtime& runtime, const vgpu::CopyCall& call, const void* memory, const Pinned& its) {
    const bool to_host = call.way == Way::device_to_host;
    if (call.way != Way::device_to_device && (!call.async || (to_host && !call.pinned))) {
        runtime.waited();
        runtime.pending.order().host_waits_for_stream(call.stream);
        runtime.pending.settle();
    } else if (its.is_ours && call.height == 1 && runtime.checks_memory() && call.width <= its.bytes) {
        runtime.pending.add({call.name, call.stream, to_host, call.place}, reinterpret_cast<std::uintptr_t>(memory),
                            call.width, its.bytes, its.is_small);
    }
}

cudaError_t move_now(Runtime& runtime, const Request& request, Stream& stream, void* to, const void* from,
                     const Rows& rows, Way way, const vgpu::HostPlace& place) {
    runtime.to_device();
    forget_pending(runtime, to, rows.to_pitch, rows);
    forget_pending(runtime, from, rows.from_pitch, rows);
    if (way == Way::host_to_host) {
        for (std::size_t row = 0; row < rows.height; ++row) {
            std::memmove(view_of(runtime, to) + row * rows.to_pitch, view_of(runtime, from) + row * rows.from_pitch,
                         rows.width);
        }
        runtime.session->spend(static_cast<double>(rows.width * rows.height) / runtime.profile().copy_pageable);
        return cudaSuccess;
    }
    vgpu::CopyCall call;
    call.name = request.name;
    call.way = way;
    call.to = way == Way::device_to_host ? 0 : device_address(to);
    call.from = way == Way::host_to_device ? 0 : device_address(from);
    call.to_pitch = rows.to_pitch;
    call.from_pitch = rows.from_pitch;
    call.width = rows.width;
    call.height = rows.height;
    call.stream = stream.id;
    call.async = request.async;
    const void* memory = way == Way::host_to_device ? from : to;
    const Pinned its = pinned(runtime, memory);
    call.pinned = its.is_pinned;
    call.place = place;
    const vgpu::Status status = runtime.session->copy(call, view_of(runtime, to), view_of(runtime, from));
    if (status == vgpu::Status::ok) {
        follow(runtime, call, memory, its);
        if (way == Way::device_to_host && runtime.local != nullptr && its.is_pinned) {
            runtime.local->host_has(device_address(memory), rows.height == 1 ? rows.width : 0);
        }
    }
    return to_cuda(status);
}

cudaError_t hold_copy(Runtime& runtime, const Request& request, Stream& stream, void* to, const void* from,
                      const Rows& rows) {
    auto bytes = std::make_shared<std::vector<char>>(rows.width * rows.height);
    for (std::size_t row = 0; row < rows.height; ++row) {
        std::memcpy(bytes->data() + row * rows.width, static_cast<const char*>(from) + row * rows.from_pitch,
                    rows.width);
    }
    const Rows packed{rows.to_pitch, rows.width, rows.width, rows.height};
    return work_in(runtime, stream, cudaGraphNodeTypeMemcpy,
                   [=, place = vgpu::host_place()](Runtime& device, Stream& in) {
                       return move_now(device, request, in, to, bytes->data(), packed, Way::host_to_device, place);
                   });
}

cudaError_t move(Runtime& runtime, const Request& request, Stream& stream, void* to, const void* from, const Rows& rows,
                 Way way) {
    if (rows.width == 0 || rows.height == 0) {
        return cudaSuccess;
    }
    if (to == nullptr || from == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (runtime.background.is_ahead_of(stream) && !stream.at.capture) {
        const void* memory = way == Way::host_to_device ? from : to;
        const bool is_pageable = way != Way::device_to_device && !pinned(runtime, memory).is_pinned;
        if (request.async && is_pageable && way == Way::host_to_device) {  // CUDA takes the bytes before it returns
            return hold_copy(runtime, request, stream, to, from, rows);
        }
        if ((!request.async && way != Way::device_to_device) || is_pageable) {
            if (const cudaError_t error = runtime.background.finish(stream); error != cudaSuccess) {
                return error;
            }
        }
    }
    return work_in(runtime, stream, cudaGraphNodeTypeMemcpy,
                   [=, place = vgpu::host_place()](Runtime& device, Stream& in) {
                       return move_now(device, request, in, to, from, rows, way, place);
                   });
}

template <class Body>
cudaError_t on_stream(const Request& request, Body&& body) {
    return api(request.name, kWork, [&](Runtime& runtime) {
        runtime.load_variables();
        Stream* stream = runtime.stream_of(request.stream, request.per_thread);
        return stream == nullptr ? cudaErrorInvalidResourceHandle : body(runtime, *stream);
    });
}

cudaError_t copy(const Request& request, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return on_stream(request, [&](Runtime& runtime, Stream& stream) {
        Way way{};
        const cudaError_t error = bytes == 0 ? cudaSuccess : way_of(runtime, request, kind, to, from, way);
        return error != cudaSuccess ? error : move(runtime, request, stream, to, from, {0, 0, bytes}, way);
    });
}

cudaError_t copy_2d(const Request& request, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return on_stream(request, [&](Runtime& runtime, Stream& stream) {
        if (width == 0 || height == 0) {
            return cudaSuccess;
        }
        if (width > to_pitch || width > from_pitch) {
            return cudaErrorInvalidPitchValue;
        }
        Way way{};
        const cudaError_t error = way_of(runtime, request, kind, to, from, way);
        return error != cudaSuccess
                   ? error
                   : move(runtime, request, stream, to, from, {to_pitch, from_pitch, width, height}, way);
    });
}

// One side of a copy of a box: its first byte, and the distances of rows and of slices.
struct Box {
    const char* first = nullptr;
    std::size_t pitch = 0, slice = 0;
};

// False: the box leaves its rows or its slices, so that the strides are wrong.
bool box_of(const cudaPitchedPtr& memory, const cudaPos& at, const cudaExtent& extent, Box& out) {
    const std::size_t rows = memory.ysize == 0 ? at.y + extent.height : memory.ysize;
    out = {static_cast<const char*>(memory.ptr) + (at.z * rows + at.y) * memory.pitch + at.x, memory.pitch,
           rows * memory.pitch};
    const bool has_rows = at.y + extent.height <= rows || (extent.depth == 1 && at.z == 0);
    return at.x + extent.width <= memory.pitch && has_rows;
}

// A side that is an array, as rows of bytes. False: it is no array, or the box leaves it.
bool array_as_memory(cudaArray_const_t handle, const cudaExtent& extent, cudaPos& at, cudaPitchedPtr& memory,
                     std::size_t& texel) {
    if (handle == nullptr) {
        return true;
    }
    const Array* array = array_of(handle);
    if (array == nullptr || memory.ptr != nullptr || at.x > array->extent.width ||
        extent.width > array->extent.width - at.x || at.y > array->rows() || extent.height > array->rows() - at.y ||
        at.z > array->slices() || extent.depth > array->slices() - at.z) {
        return false;
    }
    texel = array->texel;
    at.x *= texel;
    memory = memory_of(*array);
    return true;
}

// A box is copied slice by slice, or at once if the slices lie behind each other on both sides.
cudaError_t copy_3d(const Request& request, const cudaMemcpy3DParms* p) {
    return on_stream(request, [&](Runtime& runtime, Stream& stream) {
        if (p == nullptr) {
            return cudaErrorInvalidValue;
        }
        // With an array, the width is in its elements.
        cudaMemcpy3DParms all = *p;
        std::size_t texel = 1;
        if (!array_as_memory(p->srcArray, p->extent, all.srcPos, all.srcPtr, texel) ||
            !array_as_memory(p->dstArray, p->extent, all.dstPos, all.dstPtr, texel)) {
            return cudaErrorInvalidValue;
        }
        all.extent.width *= texel;
        const cudaExtent& extent = all.extent;
        p = &all;
        if (extent.width == 0 || extent.height == 0 || extent.depth == 0) {
            return cudaSuccess;
        }
        if (p->srcPtr.ptr == nullptr || p->dstPtr.ptr == nullptr) {
            return cudaErrorInvalidValue;
        }
        Box from, to;
        if (!box_of(p->srcPtr, p->srcPos, extent, from) || !box_of(p->dstPtr, p->dstPos, extent, to)) {
            return cudaErrorInvalidPitchValue;
        }
        Way way{};
        cudaError_t error = way_of(runtime, request, p->kind, to.first, from.first, way);
        const bool at_once = from.slice == from.pitch * extent.height && to.slice == to.pitch * extent.height;
        const std::size_t count = at_once ? 1 : extent.depth;
        const Rows rows{to.pitch, from.pitch, extent.width, at_once ? extent.height * extent.depth : extent.height};
        for (std::size_t z = 0; z < count && error == cudaSuccess; ++z) {
            error = move(runtime, request, stream, const_cast<char*>(to.first) + z * to.slice,
                         from.first + z * from.slice, rows, way);
        }
        return error;
    });
}

cudaError_t fill(const Request& request, void* to, std::size_t pitch, int value, std::size_t width,
                 std::size_t height) {
    return on_stream(request, [&](Runtime& runtime, Stream& stream) {
        if (width == 0 || height == 0) {
            return cudaSuccess;
        }
        const auto* range = runtime.host_range(to);
        if (range != nullptr ? !range->second.is_shared : !is_device_address(to)) {
            return cudaErrorInvalidValue;
        }
        return work_in(runtime, stream, cudaGraphNodeTypeMemset,
                       [=, place = vgpu::host_place()](Runtime& device, Stream& in) {
                           device.to_device();
                           return to_cuda(device.session->fill({request.name, device_address(to), pitch, width, height,
                                                                static_cast<std::uint8_t>(value), in.id, place}));
                       });
    });
}

cudaError_t fill_3d(const Request& request, const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
    const std::size_t rows = to.ysize == 0 ? extent.height : to.ysize;
    if (rows == extent.height || extent.depth <= 1) {
        return fill(request, to.ptr, to.pitch, value, extent.width, extent.height * extent.depth);
    }
    cudaError_t error = cudaSuccess;
    for (std::size_t z = 0; z < extent.depth && error == cudaSuccess; ++z) {
        error = fill(request, static_cast<char*>(to.ptr) + z * rows * to.pitch, to.pitch, value, extent.width,
                     extent.height);
    }
    return error;
}

cudaError_t copy_symbol(const Request& request, const void* variable, void* host, const void* from, std::size_t bytes,
                        std::size_t offset, cudaMemcpyKind kind, bool to_symbol) {
    return on_stream(request, [&](Runtime& runtime, Stream& stream) {
        DevicePtr address = 0;
        std::size_t size = 0;
        if (const cudaError_t error = runtime.symbol_of(variable, address, size); error != cudaSuccess) {
            return error;
        }
        if (offset > size || bytes > size - offset) {
            return cudaErrorInvalidValue;
        }
        void* symbol = reinterpret_cast<void*>(address + offset);
        void* to = to_symbol ? symbol : host;
        const void* source = to_symbol ? from : symbol;
        Way way{};
        const cudaError_t error = way_of(runtime, request, kind, to, source, way);
        return error != cudaSuccess ? error : move(runtime, request, stream, to, source, {0, 0, bytes}, way);
    });
}

}  // namespace

cudaError_t vgpu::runtime::copy_rows(const CopyRequest& request, void* to, std::size_t to_pitch, const void* from,
                                     std::size_t from_pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind) {
    return copy_2d(request, to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return copy({"cudaMemcpy"}, to, from, bytes, kind);
}
VGPU_EXPORT cudaError_t cudaMemcpy_ptds(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return copy({"cudaMemcpy", nullptr, true}, to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy({"cudaMemcpyAsync", stream, false, true}, to, from, bytes, kind);
}
VGPU_EXPORT cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                             cudaStream_t stream) {
    return copy({"cudaMemcpyAsync", stream, true, true}, to, from, bytes, kind);
}
// In order with all work of the device, whatever its stream: here, the host waits before and after.
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
    if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
        return error;
    }
    const cudaError_t error = copy({"cudaMemcpyPeer"}, to, from, bytes, cudaMemcpyDeviceToDevice);
    return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, cudaStream_t stream) {
    return copy({"cudaMemcpyPeerAsync", stream, false, true}, to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind) {
    return copy_2d({"cudaMemcpy2D"}, to, to_pitch, from, from_pitch, width, height, kind);
}
VGPU_EXPORT cudaError_t cudaMemcpy2D_ptds(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                          std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return copy_2d({"cudaMemcpy2D", nullptr, true}, to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d({"cudaMemcpy2DAsync", stream, false, true}, to, to_pitch, from, from_pitch, width, height, kind);
}
VGPU_EXPORT cudaError_t cudaMemcpy2DAsync_ptsz(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                               std::size_t width, std::size_t height, cudaMemcpyKind kind,
                                               cudaStream_t stream) {
    return copy_2d({"cudaMemcpy2DAsync", stream, true, true}, to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return copy_3d({"cudaMemcpy3D"}, p); }
VGPU_EXPORT cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* p) {
    return copy_3d({"cudaMemcpy3D", nullptr, true}, p);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
    return copy_3d({"cudaMemcpy3DAsync", stream, false, true}, p);
}
VGPU_EXPORT cudaError_t cudaMemcpy3DAsync_ptsz(const cudaMemcpy3DParms* p, cudaStream_t stream) {
    return copy_3d({"cudaMemcpy3DAsync", stream, true, true}, p);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) { return fill({"cudaMemset"}, to, 0, value, bytes, 1); }
VGPU_EXPORT cudaError_t cudaMemset_ptds(void* to, int value, std::size_t bytes) {
    return fill({"cudaMemset", nullptr, true}, to, 0, value, bytes, 1);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    return fill({"cudaMemsetAsync", stream, false, true}, to, 0, value, bytes, 1);
}
VGPU_EXPORT cudaError_t cudaMemsetAsync_ptsz(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    return fill({"cudaMemsetAsync", stream, true, true}, to, 0, value, bytes, 1);
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return fill({"cudaMemset2D"}, to, pitch, value, width, height);
}
VGPU_EXPORT cudaError_t cudaMemset2D_ptds(void* to, std::size_t pitch, int value, std::size_t width,
                                          std::size_t height) {
    return fill({"cudaMemset2D", nullptr, true}, to, pitch, value, width, height);
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
    return fill({"cudaMemset2DAsync", stream, false, true}, to, pitch, value, width, height);
}
VGPU_EXPORT cudaError_t cudaMemset2DAsync_ptsz(void* to, std::size_t pitch, int value, std::size_t width,
                                               std::size_t height, cudaStream_t stream) {
    return fill({"cudaMemset2DAsync", stream, true, true}, to, pitch, value, width, height);
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return fill_3d({"cudaMemset3D"}, to, value, extent);
}
VGPU_EXPORT cudaError_t cudaMemset3D_ptds(cudaPitchedPtr to, int value, cudaExtent extent) {
    return fill_3d({"cudaMemset3D", nullptr, true}, to, value, extent);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
    return fill_3d({"cudaMemset3DAsync", stream, false, true}, to, value, extent);
}
VGPU_EXPORT cudaError_t cudaMemset3DAsync_ptsz(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
    return fill_3d({"cudaMemset3DAsync", stream, true, true}, to, value, extent);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
    return copy_symbol({"cudaMemcpyToSymbol"}, symbol, nullptr, from, bytes, offset, kind, true);
}
VGPU_EXPORT cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, std::size_t bytes,
                                                std::size_t offset, cudaMemcpyKind kind) {
    return copy_symbol({"cudaMemcpyToSymbol", nullptr, true}, symbol, nullptr, from, bytes, offset, kind, true);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol({"cudaMemcpyToSymbolAsync", stream, false, true}, symbol, nullptr, from, bytes, offset, kind,
                       true);
}
VGPU_EXPORT cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void* symbol, const void* from, std::size_t bytes,
                                                     std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol({"cudaMemcpyToSymbolAsync", stream, true, true}, symbol, nullptr, from, bytes, offset, kind,
                       true);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
    return copy_symbol({"cudaMemcpyFromSymbol"}, symbol, to, nullptr, bytes, offset, kind, false);
}
VGPU_EXPORT cudaError_t cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                                  cudaMemcpyKind kind) {
    return copy_symbol({"cudaMemcpyFromSymbol", nullptr, true}, symbol, to, nullptr, bytes, offset, kind, false);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol({"cudaMemcpyFromSymbolAsync", stream, false, true}, symbol, to, nullptr, bytes, offset, kind,
                       false);
}
VGPU_EXPORT cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void* to, const void* symbol, std::size_t bytes,
                                                       std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol({"cudaMemcpyFromSymbolAsync", stream, true, true}, symbol, to, nullptr, bytes, offset, kind,
                       false);
}
