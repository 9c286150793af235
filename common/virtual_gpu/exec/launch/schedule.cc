#include "virtual_gpu/exec/launch/schedule.h"

#include <algorithm>
#include <numeric>

namespace vgpu {

Schedule schedule_of(std::uint64_t seed, Random& random) {
    Schedule schedule;
    if (seed == 0) return schedule;
    // With 64 blocks and more, a look-back may go back over more blocks than a warp has lanes.
    constexpr std::uint64_t kResident[kScheduleKinds] = {1, 2, 4, 8, 16, 0, 64, 512};
    constexpr std::uint64_t kFew[] = {1, 2, 4};  // or blocks would seldom wait for one that has not started
    constexpr std::int64_t kQuanta[] = {8, 64, 256, 1024, 4096};
    const std::uint64_t kind = seed % kScheduleKinds;
    schedule.in_order = kind != kAnyOrder;
    schedule.resident = schedule.in_order ? kResident[kind] : kFew[random.below(3)];
    schedule.quantum = kQuanta[random.below(5)];
    schedule.newest_first = random.below(2) == 1;
    return schedule;
}

StartOrder::StartOrder(std::uint64_t blocks, const Schedule& schedule, Random& random) : blocks_(blocks) {
    if (schedule.in_order) return;
    if (blocks > kLargest || random.below(2) == 1) {
        backwards_ = true;
        return;
    }
    shuffled_.resize(blocks);
    std::iota(shuffled_.begin(), shuffled_.end(), 0u);
    for (std::uint64_t i = blocks; i > 1; --i) std::swap(shuffled_[i - 1], shuffled_[random.below(i)]);
}

std::uint64_t StartOrder::next() {
    const std::uint64_t n = started_++;
    return backwards_ ? blocks_ - 1 - n : shuffled_.empty() ? n - first_ : shuffled_[n];
}

void StartOrder::sort() {
    if (backwards_) first_ = started_;
    backwards_ = false;
    if (!shuffled_.empty()) std::sort(shuffled_.begin() + static_cast<std::ptrdiff_t>(started_), shuffled_.end());
}

std::uint64_t StartOrder::lowest_left() const {
    if (shuffled_.empty()) return backwards_ ? 0 : started_ - first_;
    return *std::min_element(shuffled_.begin() + static_cast<std::ptrdiff_t>(started_), shuffled_.end());
}

std::string StartOrder::left_in_words() const {
    if (is_over()) return "";
    const std::uint64_t low = lowest_left();
    const std::uint64_t high =
        shuffled_.empty()
            ? low + left() - 1
            : *std::max_element(shuffled_.begin() + static_cast<std::ptrdiff_t>(started_), shuffled_.end());
    const bool all_between = high - low + 1 == left();
    return counted(left(), "block") + " had not started (" + (all_between ? "" : "among ") + std::to_string(low) +
           (low == high ? "" : ".." + std::to_string(high)) + ")";
}

}  // namespace vgpu
