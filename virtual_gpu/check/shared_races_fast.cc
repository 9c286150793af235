// The race check's fast paths: a whole warp's records compared at once. Each returns false if the access has another
// shape, or if some record has to be looked at closely.
//
// Most records are from before the last barrier. One comparison with a clock tells that, so it comes first: with the
// warp's floor for what orders this access, and with all_ for what matters to nobody any more.
#include <bit>
#include <cstring>

#include "virtual_gpu/check/shared_access.h"

namespace vgpu {

using namespace shared_races;

// ---- Lanes side by side: lane l at first + l * bytes ----

bool SharedRaces::contiguous(const Access& access) {
    if (access.cells > 4) return false;
    if (std::has_single_bit(access.mask)) return one_lane(access);
    const int lowest = std::countr_zero(access.mask);
    const std::ptrdiff_t first = (static_cast<std::ptrdiff_t>(access.offsets[lowest]) >> cell_shift_) -
                                 static_cast<std::ptrdiff_t>(lowest) * access.cells + kMargin;
    const bool is_read = access.kind == AccessKind::read;
    switch (access.cells) {
        case 1:
            if (access.mask == ~0u)
                return is_read ? contiguous_read<1, true>(access, first) : contiguous_write<1, true>(access, first);
            return is_read ? contiguous_read<1>(access, first) : contiguous_write<1>(access, first);
        case 2:
            return is_read ? contiguous_read<2>(access, first) : contiguous_write<2>(access, first);
        default:
            return is_read ? contiguous_read<4>(access, first) : contiguous_write<4>(access, first);
    }
}

namespace {

// All ones for cells of active lanes; N cells a lane.
template <int N>
void spread_mask(std::uint32_t mask, Record to[kLanes * N]) {
    for (int i = 0; i < kLanes * N; ++i) to[i] = 0 - static_cast<Record>(mask >> (i / N) & 1);
}
template <int N, bool kAll>
struct ActiveCells {
    Record bits[kAll ? 1 : kLanes * N];
    explicit ActiveCells(std::uint32_t mask) {
        if constexpr (!kAll) spread_mask<N>(mask, bits);
    }
    Record operator[](int i) const { return kAll ? ~Record{0} : bits[kAll ? 0 : i]; }
};

// All ones if the record is not older than the first one of a clock.
Record since(Record clock, Record record) { return record >= clock ? ~Record{0} : 0; }

}  // namespace

template <int N, bool kAll>
bool SharedRaces::contiguous_read(const Access& access, std::ptrdiff_t first) {
    const Harmful& harmful = access.harmful;
    const Record* __restrict writes = writes_.data() + first;
    Record* __restrict reads = reads_.data() + first;
    Record* __restrict older = older_reads_.data() + first;
    const ActiveCells<N, kAll> active(access.mask);
    const Record dead = Record{all_} << kClockAt;
    Record recent = 0, counts = 0;
    for (int i = 0; i < kLanes * N; ++i) {
        recent |= active[i] & since(harmful.floor, writes[i]);
        counts |= active[i] & since(dead, reads[i]);
    }
    Record bad = 0;
    if (recent != 0)
        for (int i = 0; i < kLanes * N; ++i) bad |= active[i] & harmful(writes[i], harmful.warp + for_lane(i / N));
    if (bad != 0) return false;
    if (counts == 0) {  // nobody asks for the read before this one
        for (int i = 0; i < kLanes * N; ++i)
            reads[i] = ((access.record + for_lane(i / N)) & active[i]) | (reads[i] & ~active[i]);
        return true;
    }
    for (int i = 0; i < kLanes * N; ++i) {
        const Record mine = access.record + for_lane(i / N), before = reads[i];
        const Record moves = active[i] & (((before ^ mine) & kThread) == 0 ? 0 : ~Record{0});
        older[i] = (before & moves) | (older[i] & ~moves);
        reads[i] = (mine & active[i]) | (before & ~active[i]);
    }
    return true;
}

template <int N, bool kAll>
bool SharedRaces::contiguous_write(const Access& access, std::ptrdiff_t first) {
    const Harmful& harmful = access.harmful;
    Record* __restrict writes = writes_.data() + first;
    const Record* __restrict reads = reads_.data() + first;
    const Record* __restrict older = older_reads_.data() + first;
    const ActiveCells<N, kAll> active(access.mask);
    Record recent = 0, bad = 0;
    for (int i = 0; i < kLanes * N; ++i)
        recent |= active[i] &
                  (since(harmful.floor, writes[i]) | since(harmful.floor, reads[i]) | since(harmful.floor, older[i]));
    for (int i = 0; recent != 0 && i < kLanes * N; ++i) {
        const Record me = harmful.warp + for_lane(i / N);
        bad |= active[i] & (harmful(writes[i], me) | harmful(reads[i], me) | harmful(older[i], me));
    }
    if (bad != 0) return false;
    for (int i = 0; i < kLanes * N; ++i)
        writes[i] = ((access.record + for_lane(i / N)) & active[i]) | (writes[i] & ~active[i]);
    if (!access.values) return true;
    if (cell_shift_ == 2 && access.mask == ~0u) {
        std::memcpy(values_.data() + first, access.values, sizeof(std::uint32_t) * kLanes * N);
        return true;
    }
    for (int lane = 0; lane < kLanes; ++lane)
        if (is_active(access.mask, lane))
            for (int part = 0; part < N; ++part)
                values_[static_cast<std::size_t>(first + lane * N + part)] = value_of(access, lane, part);
    return true;
}

// A row of one.
bool SharedRaces::one_lane(const Access& access) {
    const int lane = std::countr_zero(access.mask);
    const auto first = static_cast<std::size_t>((access.offsets[lane] >> cell_shift_) + kMargin);
    const std::size_t end = first + static_cast<std::size_t>(access.cells);
    const Record mine = access.record + for_lane(lane), me = access.harmful.warp + for_lane(lane);
    const bool is_read = access.kind == AccessKind::read;
    for (std::size_t cell = first; cell < end; ++cell) {
        if (access.harmful(writes_[cell], me) != 0) return false;
        if (!is_read && (access.harmful(reads_[cell], me) | access.harmful(older_reads_[cell], me)) != 0) return false;
    }
    for (std::size_t cell = first; cell < end; ++cell) {
        if (is_read) {
            if (((reads_[cell] ^ mine) & kThread) != 0) older_reads_[cell] = reads_[cell];
            reads_[cell] = mine;
            continue;
        }
        writes_[cell] = mine;
        if (access.values) values_[cell] = value_of(access, lane, static_cast<int>(cell - first));
    }
    return true;
}

// ---- All lanes at one place ----

bool SharedRaces::broadcast_read(const Access& access) {
    const int lowest = std::countr_zero(access.mask), highest = 31 - std::countl_zero(access.mask);
    const auto w = static_cast<std::size_t>(access.warp);
    const std::ptrdiff_t first = (static_cast<std::ptrdiff_t>(access.offsets[lowest]) >> cell_shift_) + kMargin;
    for (std::ptrdiff_t cell = first; cell < first + access.cells; ++cell) {
        const Record write = writes_[static_cast<std::size_t>(cell)];
        const bool synced = warp_of(write) == access.warp && clock_of(write) < lanes_[w];
        if (clock_of(write) >= floor_[w] && !synced) return false;
    }
    for (std::ptrdiff_t cell = first; cell < first + access.cells; ++cell) {
        record_read(access.record + for_lane(lowest), cell, access.warp);
        record_read(access.record + for_lane(highest), cell, access.warp);
    }
    return true;
}

// ---- Lanes anywhere, a cell each: gathered, then as above ----

struct SharedRaces::Places {
    std::ptrdiff_t cells[kLanes];  // inactive lanes: where the lowest active one is
    Record active[kLanes];
    Places(const Access& access, int shift) {
        spread_mask<1>(access.mask, active);
        const std::uint32_t lowest = access.offsets[std::countr_zero(access.mask)];
        for (int lane = 0; lane < kLanes; ++lane)
            cells[lane] =
                static_cast<std::ptrdiff_t>((active[lane] ? access.offsets[lane] : lowest) >> shift) + kMargin;
    }
};

bool SharedRaces::scattered_read(const Access& access) {
    if (access.cells != 1) return false;
    const Places at(access, cell_shift_);
    const Harmful& harmful = access.harmful;
    const Record* __restrict writes = writes_.data();
    Record bad = 0;
    for (int lane = 0; lane < kLanes; ++lane)
        bad |= at.active[lane] & harmful(writes[at.cells[lane]], harmful.warp + for_lane(lane));
    if (bad != 0) return false;
    Record counts = 0;
    for (const std::ptrdiff_t cell : at.cells)
        counts |= since(Record{all_} << kClockAt, reads_[static_cast<std::size_t>(cell)]);
    if (counts == 0) {  // nobody asks for the reads before this one
        for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            reads_[static_cast<std::size_t>(at.cells[lane])] = access.record + for_lane(lane);
        }
        return true;
    }
    Record older[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        const Record before = reads_[static_cast<std::size_t>(at.cells[lane])];
        const Record kept = older_reads_[static_cast<std::size_t>(at.cells[lane])];
        older[lane] = ((before ^ (harmful.warp + for_lane(lane))) & kThread) == 0 ? kept : before;
    }
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        older_reads_[static_cast<std::size_t>(at.cells[lane])] = older[lane];
        reads_[static_cast<std::size_t>(at.cells[lane])] = access.record + for_lane(lane);
    }
    return true;
}

bool SharedRaces::scattered_write(const Access& access) {
    if (access.cells != 1) return false;
    const Places at(access, cell_shift_);
    Harmful harmful = access.harmful;
    harmful.strong = access.strong ? kStrong : 0;
    Record* writes = writes_.data();
    const Record* reads = reads_.data();
    const Record* older = older_reads_.data();
    Record bad = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        const Record me = harmful.warp + for_lane(lane);
        const std::ptrdiff_t cell = at.cells[lane];
        bad |= at.active[lane] & (harmful(writes[cell], me) | harmful(reads[cell], me) | harmful(older[cell], me));
    }
    if (bad != 0) return false;
    if (access.observes) {
        std::uint32_t seen = 0;
        for (int lane = 0; lane < kLanes; ++lane) {
            const Record write = writes[at.cells[lane]];
            const bool is_new = access.harmful(write, harmful.warp + for_lane(lane)) != 0;
            seen |= std::uint32_t{is_new && (write & kStrong) != 0} << lane;
        }
        for (std::uint32_t rest = seen & access.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const Record write = writes[at.cells[lane]];
            if (!ordered(access, write, lane)) acquire(access, write);
        }
    }
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        writes[at.cells[lane]] = access.record + for_lane(lane);
    }
    if (access.values)
        for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            values_[static_cast<std::size_t>(at.cells[lane])] = value_of(access, lane, 0);
        }
    if (access.strong) return true;
    Record overwritten = 0;
    for (int lane = 0; lane < kLanes; ++lane)
        overwritten |= at.active[lane] & (writes[at.cells[lane]] ^ (access.record + for_lane(lane)));
    if (overwritten != 0) check_lanes_of_store(access);
    return true;
}

// ---- Lanes anywhere, some cells each: fast while all that is there is from before the last barrier ----

namespace {

// Of the cells of active lanes; inactive ones stand where the lowest active one does.
template <int N>
bool all_before(Record clock, const Record* records, const std::ptrdiff_t (&cells)[kLanes]) {
    Record recent = 0;
    for (const std::ptrdiff_t cell : cells)
        for (int part = 0; part < N; ++part) recent |= since(clock, records[cell + part]);
    return recent == 0;
}

}  // namespace

// Records as any_read() and any_write() do.
template <int N>
bool SharedRaces::calm_read(const Access& access) {
    const Places at(access, cell_shift_);
    if (!all_before<N>(access.harmful.floor, writes_.data(), at.cells)) return false;
    const Record dead = Record{all_} << kClockAt;
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const Record mine = access.record + for_lane(lane);
        for (std::ptrdiff_t cell = at.cells[lane]; cell < at.cells[lane] + N; ++cell) {
            Record& latest = reads_[static_cast<std::size_t>(cell)];
            if (latest >= dead)
                record_read(mine, cell, access.warp);
            else
                latest = mine;
        }
    }
    return true;
}

template <int N>
bool SharedRaces::calm_write(const Access& access) {
    const Places at(access, cell_shift_);
    for (const auto* records : {&writes_, &reads_, &older_reads_})
        if (!all_before<N>(access.harmful.floor, records->data(), at.cells)) return false;
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const Record mine = access.record + for_lane(lane);
        for (int part = 0; part < N; ++part) {
            const auto cell = static_cast<std::size_t>(at.cells[lane] + part);
            writes_[cell] = mine;
            if (access.values) values_[cell] = value_of(access, lane, part);
        }
    }
    if (access.strong) return true;
    Record overwritten = 0;
    for (int lane = 0; lane < kLanes; ++lane)
        for (int part = 0; part < N; ++part)
            overwritten |= at.active[lane] & (writes_[static_cast<std::size_t>(at.cells[lane] + part)] ^
                                              (access.record + for_lane(lane)));
    if (overwritten != 0) check_lanes_of_store(access);
    return true;
}

bool SharedRaces::calm(const Access& access) {
    const bool is_read = access.kind == AccessKind::read;
    if (access.cells == 2) return is_read ? calm_read<2>(access) : calm_write<2>(access);
    if (access.cells == 4) return is_read ? calm_read<4>(access) : calm_write<4>(access);
    return false;
}

}  // namespace vgpu
