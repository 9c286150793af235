#include "virtual_gpu/timing/least_time.h"

#include <algorithm>

namespace vgpu {

void LeastWork::add_atomics(const std::unordered_map<std::uint64_t, std::uint64_t>& lanes_on_lines) {
    for (const auto& [line, lanes] : lanes_on_lines)
        most_on_one_line_ = std::max(most_on_one_line_, lines_[line] += lanes);
}

LeastTime LeastWork::time(const DeviceProperties& p, std::uint64_t sectors) const {
    Demand work = sum_;
    work[Part::slots] = 0;  // how many blocks fit is no work: the model of a kernel's time knows it
    work[Part::dram] = static_cast<double>(sectors) * 32 / p.dram_bandwidth;
    work[Part::atomics] =
        std::max(work[Part::atomics], static_cast<double>(most_on_one_line_) / (p.atomic_per_cycle * p.clock_hz));
    const auto most = std::max_element(work.seconds.begin(), work.seconds.end());
    if (*most <= 0) return {};
    return {*most, name_of(static_cast<Part>(most - work.seconds.begin()))};
}

}  // namespace vgpu
