#include "virtual_gpu/fatbin/unpack.h"

#include <dlfcn.h>

#include <climits>

namespace vgpu::fatbin {
namespace {

constexpr std::uint64_t kLargestUnpacked = std::uint64_t{1} << 30;  // nvcc's largest are a few MB

template <class Function>
Function* find(Packed how, const char* name) {
    void* library = dlopen(library_of(how), RTLD_NOW | RTLD_LOCAL);
    return library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

using UnpackZstd = std::size_t(void* out, std::size_t size, const void* data, std::size_t bytes);
using UnpackLz4 = int(const char* data, char* out, int bytes, int size);

}  // namespace

const char* library_of(Packed how) { return how == Packed::lz4 ? "liblz4.so.1" : "libzstd.so.1"; }

bool unpack(Packed how, std::span<const std::byte> data, std::uint64_t size, std::string& out, std::string& error) {
    static auto* const zstd = find<UnpackZstd>(Packed::zstd, "ZSTD_decompress");
    static auto* const lz4 = find<UnpackLz4>(Packed::lz4, "LZ4_decompress_safe");
    if (how == Packed::no || (how == Packed::lz4 ? lz4 == nullptr : zstd == nullptr)) {
        error = std::string("is compressed, and ") + library_of(how) +
                ", which unpacks it, is not installed: install it, or compile with nvcc --no-compress";
        return false;
    }
    error = "is compressed, and damaged: it cannot be unpacked";
    if (size == 0 || size > kLargestUnpacked || data.size() > INT_MAX) return false;
    out.resize(size);
    if (how == Packed::lz4) {
        return lz4(reinterpret_cast<const char*>(data.data()), out.data(), static_cast<int>(data.size()),
                   static_cast<int>(size)) == static_cast<int>(size);
    }
    return zstd(out.data(), size, data.data(), data.size()) == size;
}

}  // namespace vgpu::fatbin
