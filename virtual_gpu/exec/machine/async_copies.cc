#include "virtual_gpu/exec/machine/async_copies.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "virtual_gpu/exec/machine/access.h"

namespace vgpu {
namespace {

// These bytes of an array, if all are in it; else none. What a program's registers say is only used through this.
std::span<std::uint8_t> range_of(std::vector<std::uint8_t>& bytes, std::uint64_t first, std::uint64_t count) {
    if (first > bytes.size() || count > bytes.size() - first) return {};
    return std::span(bytes).subspan(first, count);
}

constexpr std::size_t kMostCopies = 4096;  // of a warp; a kernel that never waits does not need more

void set_flags(Block& block, const AsyncCopy& copy, Mask mask, std::uint8_t from, std::uint8_t to) {
    for (int l : lanes(mask)) {
        const std::span<std::uint8_t> flags = range_of(block.shared_written, copy.offset[static_cast<std::size_t>(l)],
                                                       static_cast<std::uint32_t>(copy.bytes));
        std::replace(flags.begin(), flags.end(), from, to);
    }
}

bool covers(const AsyncCopy& copy, int lane, std::uint32_t offset, int bytes) {
    const std::uint32_t at = copy.offset[static_cast<std::size_t>(lane)];
    return offset < at + static_cast<std::uint32_t>(copy.bytes) && at < offset + static_cast<std::uint32_t>(bytes);
}

// For the race check: the thread's write, which what it releases from now on covers.
void write_now(Warp& w, Mask mask, const AsyncCopy& copy) {
    w.block->races->access(w.number, mask, copy.offset.data(), copy.bytes, AccessKind::write, false, copy.pc);
}

// Whose copy these bytes are on their way by.
bool find_copy(const Block& block, std::uint32_t offset, int bytes, SharedConflict& out) {
    for (const Warp& w : block.warps)
        for (const AsyncCopy& copy : w.copies.async.copies)
            for (int l : lanes(copy.lanes)) {
                if (!covers(copy, l, offset, bytes)) continue;
                out.other_kind = AccessKind::write;
                out.is_on_its_way = true;
                out.reports_to_barrier = copy.barrier != AsyncCopy::kNoBarrier;
                out.other_pc = copy.pc;
                out.other_thread = static_cast<std::uint32_t>(w.number * kLanes + l);
                return true;
            }
    return false;
}

}  // namespace

void copy_started(Warp& w, const Instr* i, Mask mask, std::span<const std::uint32_t, 32> offset, int bytes,
                  bool is_bulk) {
    if (w.copies.async.copies.size() == kMostCopies) return;
    AsyncCopy& copy = w.copies.async.copies.emplace_back();
    copy.lanes = mask;
    copy.bytes = bytes;
    copy.is_bulk = is_bulk;
    copy.pc = w.function->count_base + i->source;
    std::ranges::copy(offset, copy.offset.begin());
    copy.group = w.copies.async.group;
    set_flags(*w.block, copy, mask, kWritten, kOnItsWay);
}

void Arrivals::committed() {
    constexpr std::size_t kTold = 32;
    groups_.push_back(std::exchange(open_, 0));
    if (groups_.size() <= kTold) return;
    early_ = std::max(early_, groups_.front());
    groups_.erase(groups_.begin());
}

std::uint64_t Arrivals::of_all() const { return std::max(open_, of_groups_but(0)); }

std::uint64_t Arrivals::of_groups_but(std::uint64_t last) const {
    std::uint64_t arrival = early_;
    for (std::size_t n = 0; n + std::min<std::uint64_t>(last, groups_.size()) < groups_.size(); ++n)
        arrival = std::max(arrival, groups_[n]);
    return arrival;
}

void copies_committed(Warp& w, Mask mask) {
    for (int l : lanes(mask)) ++w.copies.async.group[static_cast<std::size_t>(l)];
}

void copies_awaited(Warp& w, Mask mask, std::int64_t but) {
    for (AsyncCopy& copy : w.copies.async.copies) {
        if (copy.is_bulk) continue;
        Mask over = 0;
        for (int l : lanes(copy.lanes & mask)) {
            const auto lane = static_cast<std::size_t>(l);
            if (but < 0 || copy.group[lane] + but < w.copies.async.group[lane]) over |= Mask{1} << l;
        }
        if (over == 0) continue;
        set_flags(*w.block, copy, over, kOnItsWay, kWritten);
        if (copy.barrier == AsyncCopy::kNoBarrier) write_now(w, over, copy);
        copy.lanes &= ~over;
    }
    std::erase_if(w.copies.async.copies, [](const AsyncCopy& copy) { return copy.lanes == 0; });
}

void copies_report_to(Warp& w, int lane, std::uint32_t barrier, bool bulk) {
    const Mask mask = Mask{1} << lane;
    const std::size_t count = w.copies.async.copies.size();
    for (std::size_t n = 0; n < count; ++n) {
        const AsyncCopy copy = w.copies.async.copies[n];
        if ((copy.lanes & mask) == 0 || copy.is_bulk != bulk || copy.barrier != AsyncCopy::kNoBarrier) continue;
        if (!bulk) write_now(w, mask, copy);
        const auto same = [&](const AsyncCopy& other) {
            return other.barrier == barrier && other.pc == copy.pc && other.bytes == copy.bytes && !other.is_complete &&
                   (other.lanes & mask) == 0;
        };
        auto to = std::ranges::find_if(w.copies.async.copies, same);
        if (to == w.copies.async.copies.end()) {
            w.copies.async.copies.push_back(copy);
            to = std::prev(w.copies.async.copies.end());
            to->lanes = 0;
            to->barrier = barrier;
        }
        to->lanes |= mask;
        to->offset[static_cast<std::size_t>(lane)] = copy.offset[static_cast<std::size_t>(lane)];
        w.copies.async.copies[n].lanes &= ~mask;
    }
    std::erase_if(w.copies.async.copies, [](const AsyncCopy& copy) { return copy.lanes == 0; });
}

void copies_completed(Block& block, std::uint32_t barrier) {
    for (Warp& w : block.warps)
        for (AsyncCopy& copy : w.copies.async.copies) copy.is_complete |= copy.barrier == barrier;
}

void copies_seen(Block& block, std::uint32_t barrier) {
    for (Warp& w : block.warps)
        std::erase_if(w.copies.async.copies, [&](const AsyncCopy& copy) {
            const bool is_over = copy.barrier == barrier && copy.is_complete;
            if (is_over) set_flags(block, copy, copy.lanes, kOnItsWay, kWritten);
            return is_over;
        });
}

void find_unawaited(Warp& w, const Instr* i, Mask mask, const std::uint32_t (&offset)[32], const Request& r) {
    constexpr AccessKind kKinds[] = {AccessKind::read, AccessKind::write, AccessKind::atomic, AccessKind::reduction};
    for (int lane : lanes(mask)) {
        const std::span<std::uint8_t> flags =
            range_of(w.block->shared_written, offset[lane], static_cast<std::uint32_t>(r.bytes));
        if (std::find(flags.begin(), flags.end(), kOnItsWay) == flags.end()) continue;
        SharedConflict found;
        if (!find_copy(*w.block, offset[lane], r.bytes, found)) continue;
        found.kind = kKinds[static_cast<int>(r.use)];
        found.offset = offset[lane];
        found.bytes = r.bytes;
        found.pc = w.function->count_base + i->source;
        found.thread = static_cast<std::uint32_t>(w.number * kLanes + lane);
        w.run->reporter.race(*w.block, found);
    }
}

}  // namespace vgpu
