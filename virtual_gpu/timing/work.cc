#include "virtual_gpu/timing/work.h"

#include <algorithm>

namespace vgpu {
namespace {

constexpr std::size_t kMostGaps = 64;  // of a part; the oldest is given up

}  // namespace

const char* name_of(Part part) {
    constexpr const char* kNames[kWorkParts] = {"slots", "dram", "l2",  "atomics",   "issue",  "shared",
                                                "lsu",   "f64",  "sfu", "to_device", "to_host"};
    return kNames[static_cast<std::size_t>(part)];
}

double Usage::take(double start, const Demand& work) {
    double end = start;
    for (std::size_t n = 0; n < kWorkParts; ++n)
        if (work.seconds[n] > 0) end = std::max(end, take(parts_[n], start, work.seconds[n]));
    return end;
}

double Usage::take(Ledger& ledger, double start, double amount) const {
    auto& gaps = ledger.gaps;
    std::erase_if(gaps, [this](const auto& gap) { return gap.second <= std::max(past_, gap.first); });
    for (std::size_t n = 0; n < gaps.size(); ++n) {
        const double from = std::max(gaps[n].first, start), to = gaps[n].second;
        if (to <= from) continue;
        const double used = std::min(amount, to - from);
        amount -= used;
        const std::pair<double, double> before{gaps[n].first, from}, after{from + used, to};
        gaps[n] = after;
        if (before.first < before.second) gaps.insert(gaps.begin() + static_cast<std::ptrdiff_t>(n++), before);
        if (amount <= 0) return after.first;
    }
    if (start > ledger.free) {
        gaps.emplace_back(ledger.free, start);
        if (gaps.size() > kMostGaps) gaps.erase(gaps.begin());
        ledger.free = start;
    }
    return ledger.free += amount;
}

}  // namespace vgpu
