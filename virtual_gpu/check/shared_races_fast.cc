// The race check's fast paths: a whole warp's records compared at once. Each returns false if the access has another
// shape, or if some record has to be looked at closely.
#include <bit>
#include <cstring>

#include "virtual_gpu/check/shared_access.h"

namespace vgpu {

using namespace shared_races;

// ---- Lanes side by side: lane l at first + l * bytes ----

bool SharedRaces::contiguous(const Access& access) {
    if (access.cells > 4) return false;
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

}  // namespace

template <int N, bool kAll>
bool SharedRaces::contiguous_read(const Access& access, std::ptrdiff_t first) {
    const Harmful& harmful = access.harmful;
    const Record* __restrict writes = writes_.data() + first;
    Record* __restrict reads = reads_.data() + first;
    Record* __restrict older = older_reads_.data() + first;
    const ActiveCells<N, kAll> active(access.mask);
    Record bad = 0;
    for (int i = 0; i < kLanes * N; ++i) bad |= active[i] & harmful(writes[i], harmful.warp + for_lane(i / N));
    if (bad != 0) return false;
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
    Record bad = 0;
    for (int i = 0; i < kLanes * N; ++i) {
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

}  // namespace vgpu
