#include "virtual_gpu/check/launch_order.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace vgpu {

using Warp = BlockOrder::Warp;
using Fence = BlockOrder::Fence;

void LaunchOrder::begin(bool is_dependent) {
    if (is_exhausted_ || sheet_ >= sheets_ / 2) {
        sheet_ = 1;
        ++generation_;
        is_exhausted_ = false;
    }
    first_ = sheet_ << kSheetBits;
    owners_.clear();
    releases_.clear();
    grids_.clear();
    is_dependent_ = is_dependent;
    has_awaited_primary_ = triggers_late_ = false;
    shown_ = {};
    if (is_dependent) grids_.push_back({-1, kPrimary, 1, 1});
}

void LaunchOrder::begin_grid(int id, std::uint32_t warps_per_block, std::uint64_t blocks, VectorClock known) {
    constexpr std::uint64_t kWholeNode = 32;  // of the clocks' tree
    warps_ = std::clamp(warps_per_block, 1u, 32u);
    GridPlaces grid{id, 0, std::bit_ceil(warps_), 0};
    grid.count = blocks * grid.stride;
    if (!grids_.empty())
        grid.first = (grids_.back().first + grids_.back().count + kWholeNode - 1) / kWholeNode * kWholeNode;
    grids_.push_back(grid);
    known_ = std::move(known);
}

VectorClock LaunchOrder::launch(BlockOrder& block, int w) {
    Warp& warp = block.warps[static_cast<std::size_t>(w)];
    go_on(block, warp);
    warp.has_news = true;
    VectorClock known = warp.known;
    known.set(place(block, w), 1, warp.now);
    return known;
}

VectorClock LaunchOrder::end_grid() const {
    VectorClock over = known_;
    over.set_all(grids_.back().first, grids_.back().count, sheet_ << kSheetBits);  // later than all times so far
    return over;
}

LaunchOrder::BlockName LaunchOrder::block_at(std::uint64_t place) const {
    const auto behind = std::upper_bound(grids_.begin(), grids_.end(), place,
                                         [](std::uint64_t at, const GridPlaces& grid) { return at < grid.first; });
    const GridPlaces& grid = *(behind - 1);
    return {grid.id, (place - grid.first) / grid.stride};
}

LaunchOrder::Time LaunchOrder::next_time(BlockOrder& block) {
    if (block.next == block.sheet_end) {
        if (sheet_ == sheets_) {
            is_exhausted_ = true;
            return block.next;
        }
        block.next = sheet_++ << kSheetBits;
        block.sheet_end = block.next + (1 << kSheetBits);
        owners_.push_back(block.place);
    }
    return block.next++;
}

void LaunchOrder::start(BlockOrder& block, std::uint64_t number) {
    block.number = number;
    block.place = grids_.back().first + number * grids_.back().stride;
    block.has_observed = block.has_triggered = false;
    block.next = block.sheet_end = 0;
    block.warps.clear();
    block.warps.resize(warps_);
    for (std::vector<Warp>& arrived : block.arrivals) arrived.clear();
    if (!block.shared_releases.empty()) block.shared_releases.clear();
    const Time now = next_time(block);
    for (Warp& warp : block.warps) {
        warp.now = warp.lanes = now;
        warp.known = known_;
    }
}

void LaunchOrder::go_on(BlockOrder& block, Warp& warp) {
    if (warp.is_used) warp.now = next_time(block);
    warp.is_used = false;
}

void LaunchOrder::arrive(BlockOrder& block, int w, int number) {
    Warp& warp = block.warps[static_cast<std::size_t>(w)];
    go_on(block, warp);
    warp.known.set(place(block, w), 1, warp.now);
    warp.has_news = true;
    Warp arrived;
    arrived.known = warp.known;
    arrived.reads = warp.reads;
    arrived.fences = warp.fences;
    block.arrivals[static_cast<std::size_t>(number)].push_back(std::move(arrived));
}

void LaunchOrder::barrier(BlockOrder& block, std::span<const int> warps, int number) {
    const std::vector<Warp> arrived = std::exchange(block.arrivals[static_cast<std::size_t>(number)], {});
    std::uint32_t members = 0;
    bool has_news = false;
    std::array<bool, 2> is_fenced{};
    for (const int w : warps) {
        const Warp& warp = block.warps[static_cast<std::size_t>(w)];
        members |= 1u << w;
        has_news |= warp.has_news || !warp.known.is_same(block.warps[static_cast<std::size_t>(warps[0])].known);
        for (std::size_t s = 0; s < 2; ++s) is_fenced[s] |= warp.fences[s].is_done;
    }
    for (const Warp& warp : arrived)
        for (std::size_t s = 0; s < 2; ++s) is_fenced[s] |= warp.fences[s].is_done;
    if (!has_news && arrived.empty()) return;
    Warp all;
    all.now = all.lanes = next_time(block);
    const auto join = [&](const Warp& warp) {
        all.known.join(warp.known);
        all.reads.join(warp.reads);
        for (std::size_t s = 0; s < 2; ++s) {
            const Fence& fence = warp.fences[s];
            all.fences[s].pending.join(fence.pending);
            all.fences[s].is_stale |= fence.is_stale;
            if (is_fenced[s]) all.fences[s].before.join(fence.is_stale ? fence.before : warp.known);
        }
    };
    for (const int w : warps) join(block.warps[static_cast<std::size_t>(w)]);
    for (const Warp& warp : arrived) join(warp);
    all.known.set(place(block, 0), members, all.now);
    for (const int w : warps) {
        Warp& warp = block.warps[static_cast<std::size_t>(w)];
        warp.now = warp.lanes = all.now;
        warp.is_used = warp.has_news = false;
        warp.known = all.known;
        warp.reads = all.reads;
        warp.lane_known.reset();
        for (std::size_t s = 0; s < 2; ++s) {
            warp.fences[s] = all.fences[s];
            warp.fences[s].is_done = is_fenced[s];
        }
    }
}

void LaunchOrder::warp_sync(BlockOrder& block, int w, std::uint32_t lanes) {
    if ((lanes & (lanes - 1)) == 0) return;  // one lane or none
    Warp& warp = block.warps[static_cast<std::size_t>(w)];
    go_on(block, warp);
    if (lanes == ~0u) {
        warp.lanes = warp.now;
        warp.lane_known.reset();
        return;
    }
    if (!warp.lane_known) warp.lane_known = std::make_unique<std::array<std::array<Time, 32>, 32>>();
    auto& rows = *warp.lane_known;
    std::array<Time, 32> joined{};
    for (std::size_t lane = 0; lane < 32; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        for (std::size_t i = 0; i < 32; ++i) joined[i] = std::max(joined[i], rows[lane][i]);
    }
    for (std::size_t lane = 0; lane < 32; ++lane)
        if (lanes >> lane & 1) joined[lane] = warp.now;
    for (std::size_t lane = 0; lane < 32; ++lane)
        if (lanes >> lane & 1) rows[lane] = joined;
}

void LaunchOrder::lanes_met(BlockOrder& block, int w, std::uint32_t lanes) {
    Warp& warp = block.warps[static_cast<std::size_t>(w)];
    go_on(block, warp);
    warp.met = warp.now;
    warp.met_lanes = lanes;
}

void LaunchOrder::fence(BlockOrder& block, int w, Scope scope) {
    Warp& warp = block.warps[static_cast<std::size_t>(w)];
    go_on(block, warp);
    warp.has_news = true;
    for (std::size_t s = 0; s <= static_cast<std::size_t>(scope); ++s)
        learn(block, w, std::exchange(warp.fences[s].pending, {}));
    warp.known.set(place(block, w), 1, warp.now);
    for (std::size_t s = 0; s <= static_cast<std::size_t>(scope); ++s) {
        warp.fences[s].is_done = true;
        warp.fences[s].is_stale = false;
        warp.fences[s].before = warp.known;
    }
}

void LaunchOrder::await_primary(BlockOrder& block, int w) {
    if (!is_dependent_) return;
    Warp& warp = block.warps[static_cast<std::size_t>(w)];
    warp.known.set(kPrimary, 1, 1);
    warp.has_news = has_awaited_primary_ = true;
}

void LaunchOrder::trigger(BlockOrder& block, int w) {
    if (std::exchange(block.has_triggered, true)) return;
    const Fence& fence = block.warps[static_cast<std::size_t>(w)].fences[static_cast<std::size_t>(Scope::device)];
    if (fence.is_done) shown_.join(fence.before);
    triggers_late_ |= is_dependent_ && knows_primary(block, w);
}

void LaunchOrder::end(BlockOrder& block) {
    if (!is_dependent_ || block.has_triggered) return;
    for (int w = 0; w < static_cast<int>(block.warps.size()); ++w) triggers_late_ |= knows_primary(block, w);
}

bool LaunchOrder::is_before(const BlockOrder& block, int w, int lane, Time time, std::uint32_t thread) const {
    const Warp& warp = block.warps[static_cast<std::size_t>(w)];
    const std::uint64_t other = place_of(time);
    const auto other_warp = static_cast<int>(thread >> 5), other_lane = static_cast<int>(thread & 31);
    if (other != block.place || other_warp != w)
        return time < warp.known[other + static_cast<std::uint64_t>(other_warp)];
    if (other_lane == lane || time < warp.lanes) return true;
    return warp.lane_known &&
           time < (*warp.lane_known)[static_cast<std::size_t>(lane)][static_cast<std::size_t>(other_lane)];
}

bool LaunchOrder::has_met(const BlockOrder& block, int w, int lane, Time time, std::uint32_t thread) const {
    const Warp& warp = block.warps[static_cast<std::size_t>(w)];
    return static_cast<int>(thread >> 5) == w && place_of(time) == block.place && time < warp.met &&
           (warp.met_lanes >> lane & warp.met_lanes >> (thread & 31) & 1) != 0;
}

bool LaunchOrder::is_read_over(const BlockOrder& block, int w, Time time, std::uint32_t thread) const {
    const std::uint64_t there = place_of(time) + (thread >> 5);
    return there != place(block, w) && time < block.warps[static_cast<std::size_t>(w)].reads[there];
}

Release LaunchOrder::release_of(BlockOrder& block, int w, bool releases, Scope scope) {
    Warp& warp = block.warps[static_cast<std::size_t>(w)];
    Release release;
    release.place = block.place;
    release.reads = warp.reads;
    release.reads.join(warp.known);
    if (!hands_on(warp, releases)) return release;
    go_on(block, warp);
    warp.known.set(place(block, w), 1, warp.now);
    for (std::size_t s = 0; s < 2; ++s) {
        const Fence& fence = warp.fences[s];
        // Where nothing was written since the fence, the write itself and what was read may count as before it.
        if ((releases && s <= static_cast<std::size_t>(scope)) || (fence.is_done && !fence.is_stale))
            release.by[s] = warp.known;
        else if (fence.is_done)
            release.by[s] = fence.before;
    }
    return release;
}

void LaunchOrder::release(std::uint64_t address, const Release& release, bool adds) {
    hand_on(releases_[address], release, adds);
}

void LaunchOrder::hand_on(Release& there, const Release& release, bool adds) {
    if (!adds) {
        there = release;
        return;
    }
    there.reads.join(release.reads);
    there.by[1].join(release.by[1]);
    if (there.place != release.place) there.by[0] = VectorClock();
    there.by[0].join(release.by[0]);
    if (there.place != release.place) there.shared = {};
    for (std::size_t i = 0; i < 32; ++i) there.shared[i] = std::max(there.shared[i], release.shared[i]);
    there.place = release.place;
}

void LaunchOrder::acquire(BlockOrder& block, int w, std::uint64_t address, bool at_once, Scope scope) {
    const auto found = releases_.find(address);
    if (found == releases_.end()) return;
    acquire(block, w, found->second, at_once, scope);
    if (block.shared && found->second.place == block.place) block.shared->learn(w, found->second.shared);
}

void LaunchOrder::acquire(BlockOrder& block, int w, const Release& release, bool at_once, Scope scope) {
    Warp& warp = block.warps[static_cast<std::size_t>(w)];
    warp.reads.join(release.reads);
    const bool is_own_block = release.place == block.place;
    for (std::size_t s = is_own_block ? 0 : 1; s < 2; ++s) {
        if (at_once && (is_own_block || scope == Scope::device))
            learn(block, w, release.by[s]);
        else
            warp.fences[s].pending.join(release.by[s]);
    }
}

void LaunchOrder::pass_on_in_shared(BlockOrder& block, int w, std::uint32_t mask, const std::uint32_t offsets[32],
                                    AccessKind kind, bool acquires, bool releases) {
    auto& known = block.shared_releases;
    Warp& warp = block.warps[static_cast<std::size_t>(w)];
    warp.has_news = true;
    const bool is_atomic = kind == AccessKind::atomic;
    if (is_atomic || kind == AccessKind::read)
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
            if (const auto found = known.find(offsets[std::countr_zero(rest)]); found != known.end())
                acquire(block, w, found->second.release, acquires || is_atomic, Scope::block);
    if (kind == AccessKind::read) return;
    const bool adds = kind != AccessKind::write;
    const bool hands = hands_on(warp, releases) || (!adds && std::has_single_bit(mask));
    const Release release = hands ? release_of(block, w, releases, Scope::block) : Release{};
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto thread = static_cast<std::uint32_t>(w * 32 + lane);
        const auto found = known.find(offsets[lane]);
        const bool adds_to = found != known.end() && (adds || found->second.thread == thread);
        if (hands) {
            BlockOrder::SharedRelease& there = known[offsets[lane]];
            hand_on(there.release, release, adds_to);
            there.thread = thread;
        } else if (found != known.end() && !adds_to) {
            known.erase(found);
        }
    }
}

// What one of the warp's own lanes has released comes back to all of its lanes.
void LaunchOrder::learn(BlockOrder& block, int w, const VectorClock& released) {
    Warp& warp = block.warps[static_cast<std::size_t>(w)];
    warp.known.join(released);
    warp.lanes = std::max(warp.lanes, released[place(block, w)]);
}

}  // namespace vgpu
