// What a texture or surface object describes. It lies in device memory, and its handle is the address: kernels get it
// as any other number, and no other process needs to know of it. A program may write there what it likes, so whoever
// reads it checks all of it (is_sound), and each texel's address is checked as that of any other access.
#pragma once

#include <cstdint>
#include <type_traits>

namespace vgpu {

struct TextureObject {
    static constexpr std::uint64_t kMagic = 0x5445'5854'5552'4531;
    static constexpr std::uint32_t kMost = 1u << 28;  // texels along x, of linear memory; less along the others
    enum Kind : std::uint8_t { kUnsigned, kSigned, kFloat };
    enum Address : std::uint8_t { kWrap, kClamp, kMirror, kBorder };  // as cudaTextureAddressMode

    std::uint64_t magic = kMagic;
    std::uint64_t first = 0;                          // address of the first texel
    std::uint64_t pitch = 0, slice = 0;               // bytes between rows, between slices or layers
    std::uint32_t extent[3] = {1, 1, 1}, layers = 0;  // layers: 0 if there are none
    float border[4] = {};
    std::uint8_t dimensions = 1, channels = 1, bits = 32, kind = kUnsigned;
    std::uint8_t address[3] = {kClamp, kClamp, kClamp};
    std::uint8_t is_filtered = 0, is_normalized = 0;  // linear filtering; coordinates from 0 to 1
    std::uint8_t gives_floats = 0;                    // integers as fractions of their largest value
    std::uint8_t is_surface = 0, is_buffer = 0;       // buffer: linear memory, which has neither modes nor filters

    std::uint32_t texel_bytes() const { return std::uint32_t{channels} * bits / 8; }
    bool is_sound() const {
        const bool has_format = (channels == 1 || channels == 2 || channels == 4) &&
                                (bits == 8 || bits == 16 || bits == 32) && kind <= kFloat &&
                                (kind != kFloat || bits != 8);
        const bool has_size = dimensions >= 1 && dimensions <= 3 && extent[0] - 1 < kMost &&
                              extent[1] - 1 < (1u << 17) && extent[2] - 1 < (1u << 15) && layers <= 2048 &&
                              pitch < (std::uint64_t{1} << 33) && slice < (std::uint64_t{1} << 40);
        return magic == kMagic && has_format && has_size && address[0] <= kBorder && address[1] <= kBorder &&
               address[2] <= kBorder && first < (std::uint64_t{1} << 60);
    }
};
static_assert(std::is_trivially_copyable_v<TextureObject>);

}  // namespace vgpu
