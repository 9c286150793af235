#include "virtual_gpu/check/global_races.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "virtual_gpu/check/global_access.h"

namespace vgpu {

using namespace global_races;

// ---- The shadow ----

Record* Plane::use(std::uint64_t cells) {
    if (room_ < cells) {
        storage_.reset(static_cast<Record*>(std::calloc(cells + (cells >> kLineShift) + 1, sizeof(Record))));
        if (!storage_) throw std::bad_alloc();
        room_ = cells;
    }
    in_use_ = true;
    return storage_.get();
}

void Plane::spread(std::uint64_t line) {
    const Record there = std::exchange(this->line(line), kCells);
    if (there == kCells || there == 0) return;
    const Record shift = there & kShift, first = there - shift;
    Record* to = storage_.get() + (line << kLineShift);
    for (int i = 0; i < 1 << kLineShift; ++i) to[i] = first + for_lane(i >> shift);
}

Record* Plane::records(std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t n = begin >> kLineShift; in_use_ && n < std::min(end, room_) >> kLineShift; ++n) spread(n);
    return cells();
}

void Plane::refine(std::uint64_t cells, int shift) {
    if (!records()) {
        if (storage_) std::fill_n(&line(0), room_ >> kLineShift, 0);  // from now on, cells are no longer of 4 bytes
        return;
    }
    Plane wide = std::move(*this);
    *this = Plane();
    Record* narrow = use(cells);
    for (std::uint64_t i = 0; i < cells; ++i)
        if (const Record record = wide.storage_.get()[i >> shift]; record != 0) narrow[i] = record;
}

KernelUse RaceShadow::use_of(std::uint64_t first, std::uint64_t size) {
    KernelUse use;
    if (size == 0 || first >= bytes) return use;
    const std::uint64_t begin = first >> cell_shift, end = ((std::min(first + size, bytes) - 1) >> cell_shift) + 1;
    const Record floor = Record{first_time} << kTimeAt;
    const auto look = [&](global_races::Plane& plane, bool& weak, bool& strong) {
        const Record* records = plane.records(begin, end + kLanes);
        for (std::uint64_t n = begin; records && n < end; ++n)
            if (records[n] >= floor && records[n] != 0)
                ((records[n] & (kStrong | kOfBlock)) == kStrong ? strong : weak) = true;
    };
    look(writes, use.writes, use.signals);
    look(reads, use.reads, use.polls);
    look(older_reads, use.reads, use.polls);
    return use;
}

// Records of earlier launches may stay: their times show that they are old.
void GlobalRaces::enter(RaceShadow& shadow, int bytes) {
    if (shadow.generation != order_.generation())
        for (Plane* plane : {&shadow.writes, &shadow.reads, &shadow.older_reads}) plane->forget();
    if (shadow.generation != order_.generation() || shadow.first_time != order_.first()) {
        for (Plane* plane : {&shadow.writes, &shadow.reads, &shadow.older_reads}) plane->put_away();
        shadow.cell_shift = 2;
        shadow.generation = order_.generation();
        shadow.first_time = order_.first();
    }
    if (bytes >= 1 << shadow.cell_shift) return;
    const int shift = shadow.cell_shift - (bytes == 1 ? 0 : 1);
    shadow.cell_shift -= shift;
    for (Plane* plane : {&shadow.writes, &shadow.reads, &shadow.older_reads}) plane->refine(shadow.cells(), shift);
}

void GlobalRaces::begin(std::uint32_t warps_per_block, GlobalConflictSink& sink) {
    order_.begin();
    begin_grid(0, warps_per_block, 1, {}, sink);
}

void GlobalRaces::begin_grid(int id, std::uint32_t warps_per_block, std::uint64_t blocks, VectorClock known,
                             GlobalConflictSink& sink) {
    order_.begin_grid(id, warps_per_block, blocks, std::move(known));
    sink_ = &sink;
}

namespace {

// f(lane, address, first cell) of each part of each lane's access.
template <class F>
void for_each_element(const Access& access, F f) {
    const GlobalAccess& given = access.given;
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        for (int part = 0; part < given.bytes; part += given.element_bytes) {
            const std::uint64_t address = given.addresses[lane] + static_cast<std::uint64_t>(part);
            f(lane, address, (address - given.base) >> access.shadow.cell_shift);
        }
    }
}

}  // namespace

// ---- An access: compared with what is there, then put on record ----

void GlobalRaces::access(BlockOrder& block, int w, std::uint32_t mask, RaceShadow& shadow, const GlobalAccess& given) {
    if (order_.is_exhausted()) return;
    enter(shadow, given.bytes);
    BlockOrder::Warp& warp = block.warps[static_cast<std::size_t>(w)];
    const bool is_read = given.kind == AccessKind::read;
    const bool is_atomic = given.kind == AccessKind::atomic || given.kind == AccessKind::reduction;
    const bool is_strong = given.is_strong || is_atomic;
    const bool is_of_block = is_strong && given.scope == Scope::block;
    const bool observes = is_strong && (is_read || given.kind == AccessKind::atomic);
    (is_read ? shadow.reads : shadow.writes).use(shadow.cells());
    const Record size = size_of(given.element_bytes);
    Access access{.given = given,
                  .block = block,
                  .shadow = shadow,
                  .warp = w,
                  .mask = mask,
                  .is_read = is_read,
                  .is_strong = is_strong,
                  .observes = observes,
                  .cells_shift = std::countr_zero(static_cast<unsigned>(given.bytes)) - shadow.cell_shift,
                  .mine = Record{warp.now} << kTimeAt | for_lane(w * kLanes) | Record{given.pc & kMaxPc} << kPcAt |
                          size | (is_strong ? kStrong : 0) | (is_atomic ? kAtomic : 0) | (is_of_block ? kOfBlock : 0),
                  .floor = Record{order_.first()} << kTimeAt,
                  .peaceful = is_strong && !is_of_block ? kStrong | size : ~Record{0},
                  .writes = shadow.writes.cells(),
                  .reads = shadow.reads.cells(),
                  .older_reads = shadow.older_reads.cells()};
    const bool is_whole = given.is_contiguous && GlobalRaces::is_whole(access) && check_whole(access);
    if (!is_whole) {
        spread(access);
        if (!given.is_contiguous || !check_contiguous(access)) check_lanes(access);
    }
    if (given.is_read_only && access.writes) [[unlikely]]
        check_read_only(access);
    if (order_.is_dependent() && !order_.knows_primary(block, w)) [[unlikely]]
        note_early(access);
    if (observes) observe(access);
    warp.is_used = warp.has_news = true;
    if (is_read) {
        if (is_whole && record_whole(access)) return;
        if (is_whole) spread(access);
        if (!given.is_contiguous || !record_contiguous(access)) record_reads(access);
        return;
    }
    if (is_strong) {
        hand_on(access);
        return;
    }
    for (BlockOrder::Fence& fence : warp.fences) fence.is_stale = true;
    if (is_whole && record_whole(access)) return;
    if (given.is_contiguous && given.keeps_bytes == 0 && record_contiguous(access)) return;
    record_writes(access);
    check_lanes_of_store(access);
}

void GlobalRaces::note_early(const Access& access) {
    constexpr std::size_t kMostEarly = 1 << 22;
    constexpr Record kInstruction = (Record{1} << kLaneAt) - 1;
    const GlobalAccess& given = access.given;
    const auto bytes = static_cast<std::uint64_t>(given.bytes);
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const EarlyAccess one{given.base, given.addresses[lane] - given.base, bytes, access.mine + for_lane(lane),
                              access.is_read};
        if (!early_.empty()) {
            EarlyAccess& last = early_.back();
            if (last.base == one.base && last.first + last.bytes == one.first && last.is_read == one.is_read &&
                ((last.record ^ one.record) & kInstruction) == 0 && (last.record ^ one.record) >> kTimeAt == 0) {
                last.bytes += bytes;
                continue;
            }
        }
        if (early_.size() < kMostEarly) early_.push_back(one);
    }
}

void GlobalRaces::check_lanes(Access& access) {
    if (!access.writes && (access.is_read || !access.reads)) return;
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) check_lane(access, std::countr_zero(rest));
}

void GlobalRaces::check_lane(Access& access, int lane) {
    const std::uint64_t first = access.cell(lane);
    for (int part = 0; part < access.cells(); ++part) {
        const std::uint64_t cell = first + static_cast<std::uint64_t>(part);
        if (access.writes && races(access, access.writes[cell], lane) &&
            !keeps(access, access.writes[cell], lane, false) && !writes_same_value(access, lane, cell, part))
            return static_cast<void>(report(access, lane, access.writes[cell], AccessKind::write, false));
        if (access.is_read) continue;
        for (const Record* records : {access.reads, access.older_reads})
            if (records && races(access, records[cell], lane) && !keeps(access, records[cell], lane, true) &&
                !order_.is_read_over(access.block, access.warp, time_of(records[cell]), thread_of(records[cell])) &&
                !report(access, lane, records[cell], AccessKind::read, false))
                return;
    }
}

// Reports a read-only load of a place that its grid has written, even if the write is ordered before it: no store
// reaches the cache of such loads, so the load may get what was there before.
void GlobalRaces::check_read_only(const Access& access) {
    const int grid = order_.block_at(access.block.place).grid;
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const Record* there = access.writes + access.cell(lane);
        const Record* written = std::find_if(there, there + access.cells(), [&](Record record) {
            return record >= access.floor && !is_kept(record) &&
                   order_.block_at(order_.place_of(time_of(record))).grid == grid;
        });
        if (written != there + access.cells()) report(access, lane, *written, AccessKind::write, false, true);
    }
}

bool GlobalRaces::is_of_own_warp(const Access& access, Record record) const {
    return ((record ^ access.mine) & kWarp) == 0 && order_.place_of(time_of(record)) == access.block.place;
}

bool GlobalRaces::races(Access& access, Record record, int lane) const {
    if (!access.is_suspicious(record, access.mine + for_lane(lane))) return false;
    const std::uint32_t time = time_of(record), thread = thread_of(record);
    const bool are_strong = access.is_strong && ((record ^ access.mine) & (kStrong | kSize)) == 0;
    if (are_strong && order_.place_of(time) == access.block.place) return false;  // one is of block scope: enough here
    if (time == access.asked_time && thread >> 5 == access.asked_warp) return !access.was_before;
    const bool is_before = order_.is_before(access.block, access.warp, lane, time, thread);
    if (is_of_own_warp(access, record)) return !is_before;  // its lanes may differ
    access.asked_time = time;
    access.asked_warp = thread >> 5;
    access.was_before = is_before;
    return !is_before;
}

// One of the two is a store of what was there already, by a block that the other does not belong to.
bool GlobalRaces::keeps(const Access& access, Record there, int lane, bool is_read) const {
    if (order_.place_of(time_of(there)) == access.block.place) return false;
    return is_read ? is_active(access.given.keeps_bytes, lane) : access.is_read && is_kept(there);
}

// The memory still holds what the last write wrote.
bool GlobalRaces::writes_same_value(const Access& access, int lane, std::uint64_t cell, int part) const {
    const GlobalAccess& given = access.given;
    if (!given.values || (access.writes[cell] & kAtomic)) return false;
    const int shift = access.shadow.cell_shift;
    const auto* value = static_cast<const std::uint8_t*>(given.values) + lane * given.bytes + (part << shift);
    return std::memcmp(value, given.data + (cell << shift), std::size_t{1} << shift) == 0;
}

void GlobalRaces::observe(const Access& access) {
    access.block.has_observed = true;
    if (!access.writes || !order_.has_releases()) return;
    const GlobalAccess& given = access.given;
    const bool at_once = given.acquires || given.kind == AccessKind::atomic;
    for_each_element(access, [&](int, std::uint64_t address, std::uint64_t cell) {
        const Record there = access.writes[cell];
        if (there >= access.floor && is_released(there))
            order_.acquire(access.block, access.warp, address, at_once, given.scope);
    });
}

// Records a strong write and what it releases. The write itself is ordered before what its readers do.
void GlobalRaces::hand_on(const Access& access) {
    const GlobalAccess& given = access.given;
    const BlockOrder::Warp& warp = access.block.warps[static_cast<std::size_t>(access.warp)];
    const bool adds = given.kind != AccessKind::write;
    // A flag is what one lane writes; what a whole warp writes is data that happens to be volatile.
    const bool is_flag = !adds && std::has_single_bit(access.mask);
    const bool hands_on = is_flag || LaunchOrder::hands_on(warp, given.releases);
    Release release = hands_on ? order_.release_of(access.block, access.warp, given.releases, given.scope) : Release{};
    if (access.block.shared && LaunchOrder::hands_on(warp, given.releases))
        release.shared = access.block.shared->release(access.warp);
    const int cells = std::max(1, given.element_bytes >> access.shadow.cell_shift);
    const auto is_mine = [&](Record record, int lane) {
        return ((record ^ (access.mine + for_lane(lane))) & kThread) == 0 &&
               order_.place_of(time_of(record)) == access.block.place;
    };
    for_each_element(access, [&](int lane, std::uint64_t address, std::uint64_t cell) {
        const Record before = access.writes[cell];
        // What is released there is handed on by an atomic, and by a later write of the same thread.
        const bool adds_to = before >= access.floor && is_released(before) && (adds || is_mine(before, lane));
        if (hands_on) order_.release(address, release, adds_to);
        std::fill_n(access.writes + cell, cells, access.mine + for_lane(lane));
        if (hands_on || adds_to) access.writes[cell] |= kReleased;  // at its first cell only
    });
}

// ---- Records ----

void GlobalRaces::record_reads(const Access& access) {
    std::uint32_t lanes = access.mask;
    const int lowest = std::countr_zero(lanes), highest = 31 - std::countl_zero(lanes);
    std::uint64_t apart = 0;
    for (int lane = lowest; lane <= highest; ++lane)
        apart |= is_active(lanes, lane) ? access.given.addresses[lane] ^ access.given.addresses[lowest] : 0;
    if (apart == 0) lanes = 1u << lowest | 1u << highest;  // all at one place: two readers are enough
    // Neighbouring cells mostly have records of one warp and time: the last answer is kept.
    constexpr Record kWarpAndTime = ~Record{0} << kTimeAt | kWarp;
    Record asked = 0;
    bool was_own = false;
    const auto is_of_this_warp = [&](Record record) {
        if ((record & kWarpAndTime) == asked) return was_own;
        asked = record & kWarpAndTime;
        return was_own = is_of_own_warp(access, record);
    };
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const Record mine = access.mine + for_lane(lane);
        const std::uint64_t first = access.cell(lane);
        for (std::uint64_t cell = first; cell < first + static_cast<std::uint64_t>(access.cells()); ++cell) {
            Record& latest = access.reads[cell];
            const bool is_mine = ((latest ^ mine) & kAuthor) == 0;
            if (!is_mine && latest >= access.floor) {
                Record& older = access.shadow.older_reads.use(access.shadow.cells())[cell];
                const bool older_counts = older >= access.floor && !is_of_this_warp(older);
                if (!older_counts || !is_of_this_warp(latest)) older = latest;
            }
            latest = mine;
        }
    }
}

void GlobalRaces::record_writes(const Access& access) {
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t first = access.cell(lane);
        const bool keeps = is_active(access.given.keeps_bytes, lane);
        for (std::uint64_t cell = first; cell < first + static_cast<std::uint64_t>(access.cells()); ++cell) {
            Record& there = access.writes[cell];
            const bool has_changed = there >= access.floor && !is_kept(there);
            there = access.mine + for_lane(lane);
            if (keeps && !has_changed) there |= kKeeps;
        }
    }
}

// Where several lanes stored to one place, the last one's record stands there.
void GlobalRaces::check_lanes_of_store(const Access& access) {
    const GlobalAccess& given = access.given;
    const auto* values = static_cast<const std::uint8_t*>(given.values);
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t first = access.cell(lane);
        for (int part = 0; part < access.cells(); ++part) {
            const Record there = access.writes[first + static_cast<std::uint64_t>(part)];
            const int other = static_cast<int>(thread_of(there)) % kLanes;
            if (other == lane) continue;
            const std::size_t bytes = std::size_t{1} << access.shadow.cell_shift;
            const std::uint8_t* value = values + lane * given.bytes + part * static_cast<int>(bytes);
            if (values && std::memcmp(value, value + (other - lane) * given.bytes, bytes) == 0) continue;
            report(access, lane, there, AccessKind::write, true);
            break;
        }
    }
}

bool GlobalRaces::report(const Access& access, int lane, Record other, AccessKind other_kind, bool same_instruction,
                         bool is_read_only) {
    GlobalConflict conflict;
    conflict.kind = access.given.kind;
    conflict.other_kind = other & kAtomic ? AccessKind::atomic : other_kind;
    conflict.same_instruction = same_instruction;
    conflict.is_strong = access.is_strong;
    conflict.other_is_strong = other & kStrong;
    conflict.is_of_block =
        access.is_strong && ((other | access.mine) & kOfBlock) != 0 && ((other ^ access.mine) & (kStrong | kSize)) == 0;
    conflict.is_read_only = is_read_only;
    conflict.has_observed = access.block.has_observed;
    conflict.address = access.given.addresses[lane];
    conflict.bytes = access.given.bytes;
    conflict.pc = access.given.pc & kMaxPc;
    conflict.other_pc = static_cast<std::uint32_t>(other >> kPcAt) & kMaxPc;
    conflict.thread = static_cast<std::uint32_t>(access.warp * kLanes + lane);
    conflict.other_thread = thread_of(other);
    conflict.block = access.block.number;
    conflict.grid = order_.block_at(access.block.place).grid;
    const LaunchOrder::BlockName there = order_.block_at(order_.place_of(time_of(other)));
    conflict.other_block = there.number;
    conflict.other_grid = there.grid;
    conflict.has_met = other_kind == AccessKind::read && conflict.kind == AccessKind::write &&
                       order_.has_met(access.block, access.warp, lane, time_of(other), thread_of(other));
    sink_->conflict(conflict);
    return conflict.has_met;
}

}  // namespace vgpu
