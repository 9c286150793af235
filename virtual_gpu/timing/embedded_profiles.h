// The profiles that are built into the library; the definition is generated from profiles/*.toml.
#pragma once

#include <span>
#include <string_view>

namespace vgpu {

struct EmbeddedProfile {
    std::string_view name, text;
};
std::span<const EmbeddedProfile> embedded_profiles();

}  // namespace vgpu
