// Parts of a report as JSON, for those who write more than one report.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "virtual_gpu/json.h"
#include "virtual_gpu/report.h"

namespace vgpu {

void write(Json& json, std::string_view name, const Index3&);
// `seeds`: of the runs that saw it, if there were several.
void write(Json& json, const Finding& finding, const std::vector<std::uint64_t>* seeds = nullptr);
void write(Json& json, const KernelReport& kernel);

}  // namespace vgpu
