#include "virtual_gpu/exec/launch/schedule.h"

#include <algorithm>
#include <numeric>

namespace vgpu {
namespace {

constexpr std::uint64_t kLastBlocks = 16;        // whose mistakes nobody else would show
constexpr std::uint64_t kMostAccesses = 7;       // as a power of two: fewer than 64
constexpr std::uint64_t kLongestHold = 1 << 20;  // warp instructions, if waiting looks like progress

}  // namespace

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
    if (kind == kManyResident || (random.state >> 40) % 2 == 1) schedule.holds = true;
    return schedule;
}

Hold::Hold(std::uint64_t block, Random random) : random_(random), before_(block) {
    accesses_ = random_.below(std::uint64_t{1} << random_.below(kMostAccesses));
}

void Hold::started(Block& block) {
    if (before_-- == 0) warp_ = &block.warps[random_.below(block.warps.size())];
}

bool Hold::run(Warp& w, std::int64_t budget) {
    for (bool ran = false; !is_held_; ran = true, --budget) {
        if (accesses_ == 0) {
            is_held_ = true;
            since_ = w.run->progress.steps;
        } else if (budget == 0 || !run_warp(w, 1)) {
            return ran;
        } else if (w.since_chosen.strong) {
            --accesses_;
        }
    }
    return true;
}

void Hold::ended(const Block& block) {
    if (warp_ && warp_->block == &block) warp_ = nullptr;
}

void Hold::round_over(Progress& progress) {
    const bool is_alone = progress.steps == last_round_, waits = progress.last <= last_round_;
    if (warp_ && is_held_ && (is_alone || waits || progress.steps - since_ > kLongestHold)) {
        warp_ = nullptr;
        progress.note();
    }
    last_round_ = progress.steps;
}

std::vector<Hold> holds_of(const Schedule& schedule, std::uint64_t resident, std::uint64_t blocks, Random random) {
    if (!schedule.holds) return {};
    const std::uint64_t first = random.below(resident), last = blocks - 1 - random.below(std::min(blocks, kLastBlocks));
    return {Hold(first, Random{random.next()}), Hold(last, Random{random.next()})};
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
