// The fast paths of the race check of global memory: a whole warp's records compared at once, or one for a whole line.
#include <bit>

#include "virtual_gpu/check/global_access.h"

namespace vgpu {

using namespace global_races;

// ---- Whole lines ----

namespace {

// None of the records of 32 cells has to be looked at closely.
bool is_calm_line(const Access& access, const Record* records, int n) {
    if (!records) return true;
    records += access.cell(0);
    std::uint64_t suspicious = 0;
    for (int i = n << Plane::kLineShift; i < (n + 1) << Plane::kLineShift; ++i)
        suspicious |= access.is_suspicious(records[i], access.mine + for_lane(i >> access.cells_shift));
    return suspicious == 0;
}

// Among these cells of the access, is one that another thread has read in this launch?
bool has_other_reader(const Access& access, int begin, int count) {
    const Record* records = access.reads + access.cell(0);
    std::uint64_t is_other = 0;
    for (int i = begin; i < begin + count; ++i) {
        const Record me = access.mine + for_lane(i >> access.cells_shift);
        is_other |= (records[i] >= access.floor) & (((records[i] ^ me) & kAuthor) != 0);
    }
    return is_other != 0;
}

}  // namespace

bool GlobalRaces::is_whole(const Access& access) {
    const GlobalAccess& given = access.given;
    constexpr std::uint64_t kLineBytes = std::uint64_t{4} << Plane::kLineShift;
    return access.shadow.cell_shift == 2 && access.cells_shift <= 2 && !access.is_strong && !given.is_read_only &&
           given.keeps_bytes == 0 && (given.addresses[0] - given.base) % kLineBytes == 0;
}

// The cells of the access get their own records.
void GlobalRaces::spread(const Access& access) {
    if (access.shadow.cell_shift != 2) return;
    if (access.given.is_contiguous) {
        const std::uint64_t last = access.cell(kLanes - 1) + static_cast<std::uint64_t>(access.cells()) - 1;
        for (Plane* plane : {&access.shadow.writes, &access.shadow.reads})
            for (std::uint64_t n = access.line(0); plane->cells() && n <= last >> Plane::kLineShift; ++n)
                plane->spread(n);
        return;
    }
    const int lowest = std::countr_zero(access.mask);
    if (std::has_single_bit(access.mask)) {
        for (Plane* plane : {&access.shadow.writes, &access.shadow.reads})
            if (plane->cells()) plane->spread(access.cell(lowest) >> Plane::kLineShift);
        return;
    }
    std::uint64_t line[kLanes];
    for (int lane = 0; lane < kLanes; ++lane)
        line[lane] = access.cell(is_active(access.mask, lane) ? lane : lowest) >> Plane::kLineShift;
    for (Plane* plane : {&access.shadow.writes, &access.shadow.reads}) {
        if (!plane->cells()) continue;
        Record others = 0;
        for (int lane = 0; lane < kLanes; ++lane) others |= plane->line(line[lane]) ^ Plane::kCells;
        if (others == 0) continue;
        for (int lane = 0; lane < kLanes; ++lane) plane->spread(line[lane]);
    }
}

// True if no lane's records have to be looked at closely.
bool GlobalRaces::check_whole(Access& access) const {
    const auto is_calm = [&](Plane& plane, int n) {
        const Record there = plane.line(access.line(n)), record = there & ~Plane::kShift;
        if (there == Plane::kCells) return is_calm_line(access, plane.cells(), n);
        if (record < access.floor || access.is_mine(there, n)) return true;
        return !is_of_own_warp(access, record) && !races(access, record, 0);
    };
    for (int n = 0; n < access.lines(); ++n) {
        if (access.writes && !is_calm(access.shadow.writes, n)) return false;
        if (access.is_read) continue;
        if (access.reads && !is_calm(access.shadow.reads, n)) return false;
        if (!is_calm_line(access, access.older_reads, n)) return false;
    }
    return true;
}

// False, with nothing done, if a read by another thread in this launch has to be kept.
bool GlobalRaces::record_whole(const Access& access) {
    Plane& plane = access.is_read ? access.shadow.reads : access.shadow.writes;
    for (int n = 0; access.is_read && n < access.lines(); ++n) {
        const Record there = plane.line(access.line(n));
        if (there == Plane::kCells ? has_other_reader(access, n << Plane::kLineShift, 1 << Plane::kLineShift)
                                   : there >= access.floor && !access.is_mine(there, n))
            return false;
    }
    for (int n = 0; n < access.lines(); ++n) plane.line(access.line(n)) = access.of_line(n);
    return true;
}

// ---- Cells side by side ----

// True if no lane's records have to be looked at closely.
bool GlobalRaces::check_contiguous(Access& access) const {
    for (int n = 0; n < access.lines(); ++n)
        if (!is_calm_line(access, access.writes, n) ||
            (!access.is_read &&
             !(is_calm_line(access, access.reads, n) && is_calm_line(access, access.older_reads, n))))
            return false;
    return true;
}

// False, with nothing done, if a read by another thread in this launch has to be kept.
bool GlobalRaces::record_contiguous(const Access& access) {
    const int count = kLanes << access.cells_shift;
    if (access.is_read && has_other_reader(access, 0, count)) return false;
    Record* records = (access.is_read ? access.reads : access.writes) + access.cell(0);
    for (int i = 0; i < count; ++i) records[i] = access.mine + for_lane(i >> access.cells_shift);
    return true;
}

}  // namespace vgpu
