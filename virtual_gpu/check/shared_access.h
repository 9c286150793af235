// Internal to the race check: records, and one warp's access as its parts see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "virtual_gpu/check/shared_races.h"

namespace vgpu {
namespace shared_races {

using Record = std::uint64_t;

inline constexpr int kLanes = 32;
inline constexpr std::ptrdiff_t kMargin = 128;  // cells: 32 lanes of 4
inline constexpr int kClockAt = 36, kLaneAt = 26, kPcAt = 6;
inline constexpr Record kThread = Record{0x3ff} << kLaneAt, kWarp = Record{0x3e0} << kLaneAt;
inline constexpr Record kAtomic = 1, kStrong = 2, kHasValue = 4, kSequence = 8;  // kSequence: see sequences_
inline constexpr std::uint32_t kLastClock = (1u << 28) - 2;

inline std::uint32_t clock_of(Record record) { return static_cast<std::uint32_t>(record >> kClockAt); }
inline std::uint32_t thread_of(Record record) { return static_cast<std::uint32_t>((record & kThread) >> kLaneAt); }
inline int warp_of(Record record) { return static_cast<int>(thread_of(record) >> 5); }
inline int lane_of(Record record) { return static_cast<int>(thread_of(record) & 31); }
inline Record for_lane(int lane) { return static_cast<Record>(lane) << kLaneAt; }
inline bool is_active(std::uint32_t mask, int lane) { return mask >> lane & 1; }

// All ones where a record may matter to a warp's access, so that it has to be looked at closely.
// Written without branches so that the compiler makes vector code of it.
struct Harmful {
    Record floor;   // older than this: ordered
    Record warp;    // the warp that accesses, in the record's place
    Record lanes;   // own warp's, older than this: ordered
    Record strong;  // kStrong if strong accesses do no harm, else 0
    Record operator()(Record record, Record me) const {
        const Record old = record < floor ? ~Record{0} : 0;
        const Record own = ((record ^ me) & kThread) == 0 ? ~Record{0} : 0;
        const Record synced = (((record ^ warp) & kWarp) == 0 ? ~Record{0} : 0) & (record < lanes ? ~Record{0} : 0);
        const Record both_strong = (record & strong) != 0 ? ~Record{0} : 0;
        return ~(old | own | synced | both_strong);
    }
};

}  // namespace shared_races

struct SharedRaces::Access {
    int warp;
    std::uint32_t mask;
    const std::uint32_t* offsets;
    int bytes, cells;  // cells of one lane
    AccessKind kind;
    bool strong, observes;
    std::uint32_t pc;
    const std::byte* values;
    shared_races::Record record;  // of lane 0
    shared_races::Harmful harmful;
};

inline std::uint32_t SharedRaces::value_of(const Access& access, int lane, int part) const {
    std::uint32_t value = 0;
    const std::byte* from = access.values + lane * access.bytes + (part << cell_shift_);
    if (cell_shift_ == 2)
        std::memcpy(&value, from, 4);
    else
        std::memcpy(&value, from, std::size_t{1} << cell_shift_);
    return value;
}

}  // namespace vgpu
