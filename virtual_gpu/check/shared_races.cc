#include "virtual_gpu/check/shared_races.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "virtual_gpu/check/shared_access.h"

namespace vgpu {

using namespace shared_races;

SharedRaces::SharedRaces(std::uint32_t shared_bytes, int warps, SharedConflictSink& sink)
    : sink_(sink), shared_bytes_(shared_bytes), warps_(std::clamp(warps, 1, kLanes)) {
    renumber();
}

// Forgets everything: what was before is ordered before what comes.
void SharedRaces::renumber() {
    const std::size_t cells = shared_bytes_ == 0 ? 0 : ((shared_bytes_ + 3) / 4 << (2 - cell_shift_)) + 2 * kMargin;
    for (auto* records : {&writes_, &reads_, &older_reads_}) records->assign(cells, 0);
    values_.assign(cells, 0);
    all_ = 1;
    clock_.fill(1);
    lanes_.fill(1);
    floor_.fill(1);
    met_.fill({});
    for (auto& row : known_) row.fill(1);
    for (auto& rows : lane_known_) rows.reset();
    sequences_.clear();
    for (auto& arrived : arrivals_) arrived.reset();
}

void SharedRaces::reset() {
    barrier_all();
    for (auto& arrived : arrivals_) arrived.reset();
}

// Narrower cells, each with what its wide cell knew.
void SharedRaces::refine(int bytes) {
    const int shift = bytes == 1 ? 0 : 1, parts_shift = cell_shift_ - shift;
    const auto cells = static_cast<std::size_t>((shared_bytes_ + 3) / 4) << (2 - shift);
    const auto margin = static_cast<std::size_t>(kMargin);
    const auto spread = [&](auto& narrow, const auto& wide) {
        narrow.assign(cells + 2 * margin, 0);
        for (std::size_t i = 0; i < cells; ++i) narrow[margin + i] = wide[margin + (i >> parts_shift)];
    };
    for (auto* records : {&writes_, &reads_, &older_reads_}) spread(*records, std::vector<Record>(*records));
    spread(values_, std::vector<std::uint32_t>(values_));
    sequences_.clear();
    for (Record& record : writes_) record &= ~kSequence;
    const std::uint32_t bits = 8u << shift, last_part = (1u << parts_shift) - 1;
    for (std::size_t i = 0; i < cells; ++i) {
        std::uint32_t& value = values_[margin + i];
        value = value >> (bits * (static_cast<std::uint32_t>(i) & last_part)) & ((1u << bits) - 1);
    }
    cell_shift_ = shift;
}

SharedRaces::Clock SharedRaces::known(int warp, int other) const {
    return std::max(all_, known_[static_cast<std::size_t>(warp)][static_cast<std::size_t>(other)]);
}

SharedRaces::Clock SharedRaces::known_lane(int warp, int lane, int other) const {
    const auto w = static_cast<std::size_t>(warp);
    if (!lane_known_[w]) return lanes_[w];
    return std::max(lanes_[w], (*lane_known_[w])[static_cast<std::size_t>(lane)][static_cast<std::size_t>(other)]);
}

bool SharedRaces::ordered(const Access& access, Record record, int lane) const {
    const int other = warp_of(record);
    if (other != access.warp) return clock_of(record) < known(access.warp, other);
    return lane_of(record) == lane || clock_of(record) < known_lane(other, lane, lane_of(record));
}

bool SharedRaces::races(const Access& access, Record record, int lane) const {
    if (clock_of(record) < floor_[static_cast<std::size_t>(access.warp)]) return false;
    return !(access.strong && (record & kStrong)) && !ordered(access, record, lane);
}

bool SharedRaces::has_met(const Access& access, Record read, int lane) const {
    const Meeting& met = met_[static_cast<std::size_t>(access.warp)];
    return access.kind == AccessKind::write && warp_of(read) == access.warp && clock_of(read) < met.at &&
           is_active(met.lanes, lane) && is_active(met.lanes, lane_of(read));
}

void SharedRaces::update_floor(int warp) {
    const auto w = static_cast<std::size_t>(warp);
    Clock least = lanes_[w];
    for (int other = 0; other < warps_; ++other)
        if (other != warp) least = std::min(least, known(warp, other));
    floor_[w] = least;
}

void SharedRaces::advance(int warp) {
    if (++clock_[static_cast<std::size_t>(warp)] >= kLastClock) renumber();
}

// A strong read has seen `record`, a strong write. So what the writing warp had done by then is known now, and all that
// it knows: what it knows today, which may be more than it knew then.
void SharedRaces::acquire(const Access& access, Record record) {
    const auto me = static_cast<std::size_t>(access.warp), other = static_cast<std::size_t>(warp_of(record));
    if (me == other) {
        lanes_[me] = std::max(lanes_[me], clock_of(record) + 1);
    } else {
        for (std::size_t i = 0; i < kLanes; ++i) known_[me][i] = std::max(known_[me][i], known_[other][i]);
        known_[me][other] = std::max(known_[me][other], clock_of(record) + 1);
        lanes_[me] = std::max(lanes_[me], known_[other][me]);  // what a lane of this warp released, by way of another
    }
    update_floor(access.warp);
}

void SharedRaces::barrier_all() {
    all_ = *std::max_element(clock_.begin(), clock_.begin() + warps_) + 1;
    if (all_ >= kLastClock) return renumber();
    clock_.fill(all_);
    lanes_.fill(all_);
    floor_.fill(all_);
    for (int warp = 0; warp < warps_; ++warp) lane_known_[static_cast<std::size_t>(warp)].reset();
}

void SharedRaces::arrive(int warp, int number) {
    auto& arrived = arrivals_[static_cast<std::size_t>(number)];
    if (!arrived) arrived = std::make_unique<Clocks>();
    const Clocks mine = release(warp);
    for (std::size_t i = 0; i < kLanes; ++i) (*arrived)[i] = std::max((*arrived)[i], mine[i]);
}

SharedRaces::Clocks SharedRaces::release(int warp) {
    const auto w = static_cast<std::size_t>(warp);
    Clocks released = known_[w];
    released[w] = clock_[w] + 1;
    advance(warp);
    return released;
}

void SharedRaces::learn(int warp, const Clocks& released) {
    const auto w = static_cast<std::size_t>(warp);
    for (std::size_t i = 0; i < kLanes; ++i)
        if (i != w) known_[w][i] = std::max(known_[w][i], released[i]);
    lanes_[w] = std::max(lanes_[w], released[w]);  // what a lane of this warp has released
    update_floor(warp);
}

void SharedRaces::barrier(std::span<const int> warps, int number) {
    std::uint32_t taking_part = 0;
    for (const int warp : warps) taking_part |= 1u << warp;
    const auto arrived = std::exchange(arrivals_[static_cast<std::size_t>(number)], nullptr);
    if (std::popcount(taking_part) >= warps_) return barrier_all();
    std::array<Clock, 32> joined;
    joined.fill(all_);
    Clock now = 0;
    for (std::size_t i = 0; arrived && i < kLanes; ++i) joined[i] = std::max(joined[i], (*arrived)[i]);
    for (const int warp : warps) {
        const auto w = static_cast<std::size_t>(warp);
        now = std::max(now, clock_[w] + 1);
        for (std::size_t i = 0; i < kLanes; ++i) joined[i] = std::max(joined[i], known_[w][i]);
    }
    if (now >= kLastClock) return renumber();
    for (const int warp : warps) joined[static_cast<std::size_t>(warp)] = now;
    for (const int warp : warps) {
        const auto w = static_cast<std::size_t>(warp);
        known_[w] = joined;
        clock_[w] = lanes_[w] = now;
        lane_known_[w].reset();
        update_floor(warp);
    }
}

void SharedRaces::warp_sync(int warp, std::uint32_t mask) {
    const auto w = static_cast<std::size_t>(warp);
    if ((mask & (mask - 1)) == 0) return;  // one lane or none
    advance(warp);
    const Clock now = clock_[w];
    if (mask == ~0u) {
        lanes_[w] = now;
        lane_known_[w].reset();
        return update_floor(warp);
    }
    if (!lane_known_[w]) lane_known_[w] = std::make_unique<std::array<std::array<Clock, 32>, 32>>();
    auto& rows = *lane_known_[w];
    std::array<Clock, 32> joined{};
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        if (mask >> lane & 1)
            for (std::size_t i = 0; i < kLanes; ++i) joined[i] = std::max(joined[i], rows[lane][i]);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        if (mask >> lane & 1) joined[lane] = now;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        if (mask >> lane & 1) rows[lane] = joined;
}

void SharedRaces::lanes_met(int warp, std::uint32_t mask) {
    advance(warp);
    met_[static_cast<std::size_t>(warp)] = {clock_[static_cast<std::size_t>(warp)], mask};
}

void SharedRaces::access(int warp, std::uint32_t mask, const std::uint32_t offsets[32], int bytes, AccessKind kind,
                         bool strong, std::uint32_t pc, const void* values) {
    const auto width = static_cast<std::uint32_t>(bytes);
    std::uint32_t highest = 0;
    for (int lane = 0; lane < kLanes; ++lane) highest = std::max(highest, is_active(mask, lane) ? offsets[lane] : 0);
    if (width > shared_bytes_ || highest > shared_bytes_ - width)
        for (int lane = 0; lane < kLanes; ++lane)
            if (is_active(mask, lane) && (width > shared_bytes_ || offsets[lane] > shared_bytes_ - width))
                mask &= ~(1u << lane);
    if (mask != 0) access(warp, mask, offsets, bytes, kind, strong, pc, values, shape_of(offsets, mask, bytes));
}

void SharedRaces::access(int warp, std::uint32_t mask, const std::uint32_t offsets[32], int bytes, AccessKind kind,
                         bool strong, std::uint32_t pc, const void* values, AccessShape shape) {
    if (bytes < 1 << cell_shift_) refine(bytes);

    Access access{};
    access.warp = warp;
    access.mask = mask;
    access.offsets = offsets;
    access.bytes = bytes;
    access.cells = bytes >> cell_shift_;
    access.kind = kind;
    const bool is_atomic = kind == AccessKind::atomic || kind == AccessKind::reduction;
    access.strong = strong || is_atomic;
    access.observes = access.strong && (kind == AccessKind::read || kind == AccessKind::atomic);
    access.pc = pc & kMaxPc;
    access.values = kind == AccessKind::write ? static_cast<const std::byte*>(values) : nullptr;
    access.record = Record{clock_[static_cast<std::size_t>(warp)]} << kClockAt | for_lane(warp * kLanes) |
                    Record{access.pc} << kPcAt | (access.strong ? kStrong : 0) | (is_atomic ? kAtomic : 0) |
                    (access.values ? kHasValue : 0);
    const auto w = static_cast<std::size_t>(warp);
    access.harmful = {Record{floor_[w]} << kClockAt, for_lane(warp * kLanes), Record{lanes_[w]} << kClockAt,
                      access.strong && !access.observes ? kStrong : 0};
    const bool is_read = kind == AccessKind::read;
    if (access.observes && !sequences_.empty()) acquire_sequences(access);
    const std::uint32_t in_sequence = kind == AccessKind::reduction ? extend_sequences(access) : 0;
    const bool is_done =
        (shape == AccessShape::row && contiguous(access)) ||
        (is_read && (shape == AccessShape::same || std::has_single_bit(mask)) && broadcast_read(access)) ||
        (is_read ? scattered_read(access) : scattered_write(access)) || calm(access);
    if (!is_done) is_read ? any_read(access) : any_write(access);
    for (std::uint32_t rest = in_sequence; rest != 0; rest &= rest - 1)
        writes_[static_cast<std::size_t>((offsets[std::countr_zero(rest)] >> cell_shift_) + kMargin)] |= kSequence;
    if (access.strong && !is_read) advance(warp);
}

// The lanes whose reduction goes on with what other warps have released at the same place.
std::uint32_t SharedRaces::extend_sequences(const Access& access) {
    const auto w = static_cast<std::size_t>(access.warp);
    std::uint32_t lanes = 0;
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::ptrdiff_t cell = (static_cast<std::ptrdiff_t>(access.offsets[lane]) >> cell_shift_) + kMargin;
        const Record before = writes_[static_cast<std::size_t>(cell)];
        if (!(before & kStrong) || clock_of(before) < all_) continue;
        if (!(before & kSequence) && warp_of(before) == access.warp) continue;
        if (sequences_.empty()) sequences_.resize(writes_.size() * static_cast<std::size_t>(warps_));
        Clock* row = sequence(cell);
        if (!(before & kSequence)) std::fill_n(row, warps_, Clock{0});
        row[warp_of(before)] = std::max(row[warp_of(before)], clock_of(before) + 1);
        row[w] = clock_[w] + 1;
        lanes |= 1u << lane;
    }
    return lanes;
}

void SharedRaces::acquire_sequences(const Access& access) {
    const auto me = static_cast<std::size_t>(access.warp);
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::ptrdiff_t cell = (static_cast<std::ptrdiff_t>(access.offsets[lane]) >> cell_shift_) + kMargin;
        const Record there = writes_[static_cast<std::size_t>(cell)];
        if (!(there & kSequence) || clock_of(there) < all_) continue;
        const Clock* row = sequence(cell);
        for (int other = 0; other < warps_; ++other) {
            const auto v = static_cast<std::size_t>(other);
            if (v == me) lanes_[me] = std::max(lanes_[me], row[me]);  // what other lanes of this warp have released
            if (v == me || row[v] <= known(access.warp, other)) continue;
            for (std::size_t i = 0; i < kLanes; ++i) known_[me][i] = std::max(known_[me][i], known_[v][i]);
            known_[me][v] = std::max(known_[me][v], row[v]);
            lanes_[me] = std::max(lanes_[me], known_[v][me]);
        }
        update_floor(access.warp);
    }
}

// ---- Anything else, lane by lane ----

// Keeps two reads, of different threads. A read by another warp is kept in preference while it can still race.
void SharedRaces::record_read(Record mine, std::ptrdiff_t cell, int warp) {
    Record& latest = reads_[static_cast<std::size_t>(cell)];
    Record& older = older_reads_[static_cast<std::size_t>(cell)];
    if (thread_of(latest) != thread_of(mine)) {
        const bool older_counts = warp_of(older) != warp && clock_of(older) >= floor_[static_cast<std::size_t>(warp)];
        if (warp_of(latest) != warp || !older_counts) older = latest;
    }
    latest = mine;
}

void SharedRaces::any_read(const Access& access) {
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::ptrdiff_t first = (static_cast<std::ptrdiff_t>(access.offsets[lane]) >> cell_shift_) + kMargin;
        bool is_reported = false;
        for (std::ptrdiff_t cell = first; cell < first + access.cells; ++cell) {
            const Record write = writes_[static_cast<std::size_t>(cell)];
            if (!is_reported && races(access, write, lane)) {
                report(access, lane, write, AccessKind::write, false);
                is_reported = true;
            }
            if (access.observes && (write & kStrong) && !ordered(access, write, lane)) acquire(access, write);
            record_read(access.record + for_lane(lane), cell, access.warp);
        }
    }
}

void SharedRaces::any_write(const Access& access) {
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::ptrdiff_t first = (static_cast<std::ptrdiff_t>(access.offsets[lane]) >> cell_shift_) + kMargin;
        bool is_reported = false;
        for (int part = 0; part < access.cells; ++part) {
            const auto cell = static_cast<std::size_t>(first + part);
            const Record write = writes_[cell], read = reads_[cell], older = older_reads_[cell];
            if (!is_reported && races(access, write, lane)) {
                const bool same_value =
                    access.values && (write & kHasValue) && values_[cell] == value_of(access, lane, part);
                if (!same_value) {
                    report(access, lane, write, AccessKind::write, false);
                    is_reported = true;
                }
            }
            for (const Record seen : {read, older}) {
                if (is_reported || !races(access, seen, lane)) continue;
                report(access, lane, seen, AccessKind::read, false);
                is_reported = !has_met(access, seen, lane);
            }
            if (access.observes && (write & kStrong) && !ordered(access, write, lane)) acquire(access, write);
        }
    }
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::ptrdiff_t first = (static_cast<std::ptrdiff_t>(access.offsets[lane]) >> cell_shift_) + kMargin;
        for (int part = 0; part < access.cells; ++part) {
            writes_[static_cast<std::size_t>(first + part)] = access.record + for_lane(lane);
            if (access.values) values_[static_cast<std::size_t>(first + part)] = value_of(access, lane, part);
        }
    }
    if (!access.strong) check_lanes_of_store(access);
}

// Where several lanes stored to one place, the last one's record stands there.
void SharedRaces::check_lanes_of_store(const Access& access) {
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::ptrdiff_t first = (static_cast<std::ptrdiff_t>(access.offsets[lane]) >> cell_shift_) + kMargin;
        for (int part = 0; part < access.cells; ++part) {
            const auto cell = static_cast<std::size_t>(first + part);
            if (writes_[cell] == access.record + for_lane(lane)) continue;
            if (access.values && values_[cell] == value_of(access, lane, part)) continue;
            report(access, lane, writes_[cell], AccessKind::write, true);
            break;
        }
    }
}

void SharedRaces::report(const Access& access, int lane, Record other, AccessKind other_kind, bool same_instruction) {
    SharedConflict conflict;
    conflict.kind = access.kind;
    conflict.other_kind = other & kAtomic ? AccessKind::atomic : other_kind;
    conflict.same_instruction = same_instruction;
    conflict.is_strong = access.strong;
    conflict.other_is_strong = other & kStrong;
    conflict.has_met = other_kind == AccessKind::read && has_met(access, other, lane);
    conflict.offset = access.offsets[lane];
    conflict.bytes = access.bytes;
    conflict.pc = access.pc;
    conflict.other_pc = static_cast<std::uint32_t>(other >> kPcAt) & kMaxPc;
    conflict.thread = static_cast<std::uint32_t>(access.warp * kLanes + lane);
    conflict.other_thread = thread_of(other);
    sink_.conflict(conflict);
}

}  // namespace vgpu
