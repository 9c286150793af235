// Copies and fills. Every range is checked against its allocation first; what reaches past an end is a finding.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "virtual_gpu/runtime/runtime.h"

namespace {

using namespace vgpu::runtime;
using vgpu::counted;
using vgpu::DevicePtr;
using vgpu::Finding;
using vgpu::Kind;

struct Request {
    const char* name;
    cudaStream_t stream = nullptr;
    bool per_thread = false;
    bool async = false;
};

DevicePtr device_address(const void* pointer) { return reinterpret_cast<DevicePtr>(pointer); }

// True if [at, at + bytes) lies inside one living allocation; else a finding says what is wrong.
bool inside(Runtime& runtime, const Request& request, DevicePtr at, std::size_t bytes, const char* access) {
    DevicePtr base = 0;
    std::size_t size = 0;
    const bool found = runtime.device->find(at, base, size);
    const auto made = runtime.allocations.find(base);
    if (found && at >= base && at - base <= size && bytes <= size - (at - base)) {
        return true;
    }
    Finding f;
    f.kind = Kind::out_of_bounds;
    f.count = 1;
    f.access = access;
    f.space = "global";
    f.place = place_of(host_stack());
    if (!found) {
        char text[32];
        std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(at));
        f.what = std::string(request.name) + " was given the pointer " + text + ", which belongs to no allocation";
        f.kind = Kind::invalid_access;
    } else {
        std::string array = "allocation of " + counted(size, "byte");
        if (made != runtime.allocations.end()) {
            array = made->second.name.empty() ? array + " made at " + text_of(place_of(made->second.stack))
                                              : made->second.name;
        }
        f.array = array;
        f.array_bytes = size;
        f.index = static_cast<std::int64_t>(at - base);
        f.access_bytes = 1;
        f.what =
            std::string(request.name) + " of " + counted(bytes, "byte") + ", from byte " + std::to_string(f.index) +
            " on, reaches past the end of " + array +
            (made != runtime.allocations.end() && !made->second.name.empty() ? " (" + counted(size, "byte") + ")" : "");
        f.help = "the count is in bytes: n * sizeof(element)";
    }
    runtime.add_finding(std::move(f));
    return false;
}

enum class Way { host_to_host, host_to_device, device_to_host, device_to_device };

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
    const bool to_device = is_device_address(to);
    const bool from_device = is_device_address(from);
    out = to_device ? (from_device ? Way::device_to_device : Way::host_to_device)
                    : (from_device ? Way::device_to_host : Way::host_to_host);
    const bool says_to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool says_from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (kind == cudaMemcpyDefault || to == nullptr || from == nullptr ||
        (says_to_device == to_device && says_from_device == from_device)) {
        return cudaSuccess;
    }
    Finding f;
    f.kind = Kind::invalid_access;
    f.count = 1;
    f.place = place_of(host_stack());
    f.what = std::string(request.name) + " was told " + name_of(kind) + ", but it was given a " +
             (to_device ? "device" : "host") + " pointer to copy to and a " + (from_device ? "device" : "host") +
             " pointer to copy from";
    f.help = "the order is (to, from, bytes, kind)";
    runtime.add_finding(std::move(f));
    return cudaErrorInvalidValue;
}

bool pinned(const Runtime& runtime, const void* pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto next = runtime.host_ranges.upper_bound(address);
    return next != runtime.host_ranges.begin() && address < std::prev(next)->first + std::prev(next)->second.bytes;
}

// What a copy costs: only one from or to pinned memory leaves the host free to go on.
void charge(Runtime& runtime, Stream& stream, Way way, const void* host, std::size_t bytes, bool async) {
    const vgpu::DeviceProperties& p = runtime.profile;
    const auto amount = static_cast<double>(bytes);
    if (way == Way::host_to_host) {
        runtime.clock.call(amount / p.copy_pageable);
        return;
    }
    if (way == Way::device_to_device) {
        runtime.clock.run(stream.clock, 2 * amount / p.dram_bandwidth + 1e-6, 1, p.launch, p.launch_busy);
        runtime.clock.call(p.launch_host);
        return;
    }
    (way == Way::device_to_host ? runtime.report.bytes_to_host : runtime.report.bytes_to_device) += bytes;
    const bool fast = pinned(runtime, host);
    const double seconds = amount / (fast ? p.copy_pinned : p.copy_pageable);
    const double end = runtime.clock.run(stream.clock, seconds, 0, p.copy, p.launch_busy);
    if (async && fast) {
        runtime.clock.call(p.launch_host);
    } else {
        runtime.clock.wait_for(end);
        runtime.flush_output();
    }
}

cudaError_t move(Runtime& runtime, const Request& request, Stream& stream, void* to, const void* from,
                 std::size_t bytes, Way way, bool counted = true) {
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (to == nullptr || from == nullptr) {
        return cudaErrorInvalidValue;
    }
    vgpu::Status status = vgpu::Status::ok;
    switch (way) {
        case Way::host_to_host:
            std::memmove(to, from, bytes);
            break;
        case Way::host_to_device:
            if (!inside(runtime, request, device_address(to), bytes, "write")) {
                return cudaErrorInvalidValue;
            }
            status = runtime.device->write(device_address(to), {static_cast<const std::byte*>(from), bytes});
            break;
        case Way::device_to_host:
            if (!inside(runtime, request, device_address(from), bytes, "read")) {
                return cudaErrorInvalidValue;
            }
            status = runtime.device->read(device_address(from), {static_cast<std::byte*>(to), bytes});
            break;
        case Way::device_to_device:
            if (!inside(runtime, request, device_address(from), bytes, "read") ||
                !inside(runtime, request, device_address(to), bytes, "write")) {
                return cudaErrorInvalidValue;
            }
            status = runtime.device->copy(device_address(to), device_address(from), bytes);
            break;
    }
    if (counted) {
        charge(runtime, stream, way, way == Way::host_to_device ? from : to, bytes, request.async);
    }
    return to_cuda(status);
}

template <class Body>
cudaError_t on_stream(const Request& request, Body&& body) {
    return api(request.name, kWork, [&](Runtime& runtime) {
        Stream* stream = runtime.stream_of(request.stream, request.per_thread);
        return stream == nullptr ? cudaErrorInvalidResourceHandle : body(runtime, *stream);
    });
}

cudaError_t copy(const Request& request, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return on_stream(request, [&](Runtime& runtime, Stream& stream) {
        Way way{};
        const cudaError_t error = bytes == 0 ? cudaSuccess : way_of(runtime, request, kind, to, from, way);
        return error != cudaSuccess ? error : move(runtime, request, stream, to, from, bytes, way);
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
        cudaError_t error = way_of(runtime, request, kind, to, from, way);
        for (std::size_t row = 0; row < height && error == cudaSuccess; ++row) {
            error = move(runtime, request, stream, static_cast<char*>(to) + row * to_pitch,
                         static_cast<const char*>(from) + row * from_pitch, width, way, false);
        }
        if (error == cudaSuccess) {
            charge(runtime, stream, way, way == Way::host_to_device ? from : to, width * height, request.async);
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
        if (!is_device_address(to)) {
            return cudaErrorInvalidValue;
        }
        for (std::size_t row = 0; row < height; ++row) {
            const DevicePtr at = device_address(to) + row * pitch;
            if (!inside(runtime, request, at, width, "write")) {
                return cudaErrorInvalidValue;
            }
            const auto status = runtime.device->fill(at, static_cast<std::uint32_t>(value) & 0xffu, 1, width);
            if (status != vgpu::Status::ok) {
                return to_cuda(status);
            }
        }
        const vgpu::DeviceProperties& p = runtime.profile;
        runtime.clock.run(stream.clock, static_cast<double>(width * height) / p.dram_bandwidth + 1e-6, 1, p.launch,
                          p.launch_busy);
        runtime.clock.call(p.launch_host);
        return cudaSuccess;
    });
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
        return error != cudaSuccess ? error : move(runtime, request, stream, to, source, bytes, way);
    });
}

}  // namespace

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
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
    return copy({"cudaMemcpyPeer"}, to, from, bytes, cudaMemcpyDeviceToDevice);
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
