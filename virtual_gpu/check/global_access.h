// Internal to the race check of global memory: records, and one warp's access as its parts see it.
#pragma once

#include <algorithm>
#include <bit>

#include "virtual_gpu/check/global_races.h"

namespace vgpu::global_races {

inline constexpr int kLanes = 32;
inline constexpr int kTimeAt = 35, kLaneAt = 25, kPcAt = 6, kSizeAt = 4;
// kReleased: readers may learn something here; kOfBlock: strong only for threads of its own block.
inline constexpr Record kAtomic = 1, kStrong = 2, kReleased = 4, kOfBlock = 8;
// A weak write: of the bytes that were there already.
inline constexpr Record kKeeps = kReleased;
inline constexpr Record kSize = Record{3} << kSizeAt, kThread = Record{0x3ff} << kLaneAt;
inline constexpr Record kWarp = Record{0x3e0} << kLaneAt;
// Equal bits: the same thread, in the same sheet of its block's times.
inline constexpr Record kAuthor = ~Record{0} << (kTimeAt + LaunchOrder::kSheetBits) | kThread;

inline std::uint32_t time_of(Record record) { return static_cast<std::uint32_t>(record >> kTimeAt); }
inline std::uint32_t thread_of(Record record) { return static_cast<std::uint32_t>((record & kThread) >> kLaneAt); }
inline bool is_released(Record record) { return (record & (kReleased | kStrong)) == (kReleased | kStrong); }
inline bool is_kept(Record record) { return (record & (kKeeps | kStrong)) == kKeeps; }
// 16 bytes count as 8: there is no room for more, and strong loads of 128 bits are made of halves.
inline Record size_of(int bytes) {
    return static_cast<Record>(std::countr_zero(static_cast<unsigned>(std::min(bytes, 8)))) << kSizeAt;
}
inline Record for_lane(int lane) { return static_cast<Record>(lane) << kLaneAt; }
inline bool is_active(std::uint32_t mask, int lane) { return mask >> lane & 1; }

struct Access {
    const GlobalAccess& given;
    BlockOrder& block;
    RaceShadow& shadow;
    int warp;
    std::uint32_t mask;
    bool is_read, is_strong, observes;
    int cells_shift = 0;                   // a lane has 2^cells_shift cells
    Record mine;                           // of lane 0
    Record floor;                          // older: of an earlier launch
    Record peaceful;                       // strong and of the same size, if this access is strong for the whole device
    Record *writes, *reads, *older_reads;  // nullptr: none in this launch

    // Neighbouring lanes mostly meet records of one warp and time: the last answer is kept.
    std::uint32_t asked_time = 0, asked_warp = 0;
    bool was_before = false;

    std::uint64_t cell(int lane) const { return (given.addresses[lane] - given.base) >> shadow.cell_shift; }
    int cells() const { return 1 << cells_shift; }

    // Of 32 lanes side by side, from the beginning of a line on.
    int lines() const { return 1 << cells_shift; }
    std::uint64_t line(int n) const { return (cell(0) >> Plane::kLineShift) + static_cast<std::uint64_t>(n); }
    Record of_line(int n) const {
        return (mine + for_lane(n << Plane::kLineShift >> cells_shift)) | static_cast<Record>(cells_shift);
    }
    bool is_mine(Record of_line_there, int n) const {
        return ((of_line_there ^ of_line(n)) & (kAuthor | Plane::kShift)) == 0;
    }

    // Has a record to be looked at closely? Without branches, so that the compiler makes vector code of it.
    bool is_suspicious(Record record, Record me) const {
        const bool is_old = record < floor, is_own = ((record ^ me) & kAuthor) == 0;
        return !(is_old | is_own | ((record & (kStrong | kSize | kOfBlock)) == peaceful));
    }
};

}  // namespace vgpu::global_races
