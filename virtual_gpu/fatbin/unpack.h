// Compressed parts of fat binaries. nvcc packs PTX with Zstandard unless it is told otherwise, and with LZ4 by
// --compress-mode=speed. The two libraries are loaded when they are first needed: no program depends on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace vgpu::fatbin {

enum class Packed : std::uint8_t { no, lz4, zstd };

// Exactly `size` bytes, which the fat binary promises. False: `error` names the library that is missing, or says that
// the data are damaged.
bool unpack(Packed how, std::span<const std::byte> data, std::uint64_t size, std::string& out, std::string& error);

// The library's file, such as "libzstd.so.1".
const char* library_of(Packed how);

}  // namespace vgpu::fatbin
