#include "virtual_gpu/undefined/bytes.h"

namespace vgpu {

std::uint32_t Origins::place(const SourcePlace& source, const std::string& at) {
    const auto [entry, is_new] = known_places_.try_emplace({source.line > 0 ? source.file : at, source.line},
                                                           static_cast<std::uint32_t>(places_.size()));
    if (is_new) places_.push_back({source, at});
    return entry->second;
}

std::uint32_t Origins::array(const Array& array) {
    const auto [entry, is_new] =
        known_arrays_.try_emplace({array.name, array.space, array.bytes}, static_cast<std::uint32_t>(arrays_.size()));
    if (is_new) arrays_.push_back(array);
    if (arrays_[entry->second].layout.bytes == 0) arrays_[entry->second].layout = array.layout;
    return entry->second;
}

OriginId Origins::add(Origin origin) {
    if (origins_.size() >= kMost && !known_.contains(origin)) origin.at = -1;
    const auto [entry, is_new] = known_.try_emplace(origin, static_cast<OriginId>(origins_.size() + 1));
    if (is_new) origins_.push_back(origin);
    return entry->second;
}

}  // namespace vgpu
