// The checks of accesses to shared memory other than bounds: undefined values and races.
#include <cstring>

#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/exec/machine/async_copies.h"

namespace vgpu {
namespace {

// Whether all bytes that the lanes access are kWritten. Inactive lanes have an active one's offset.
template <class T>
bool lanes_written(const std::uint8_t* written, const std::uint32_t (&offset)[kLanes]) {
    T differ = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        T v;
        std::memcpy(&v, written + offset[lane], sizeof v);
        differ |= v ^ static_cast<T>(0x0101'0101'0101'0101u);
    }
    return differ == 0;
}

bool lanes_written(const std::uint8_t* written, const std::uint32_t (&offset)[kLanes], Mask mask, const Lanes& l,
                   std::size_t bytes) {
    if (l.contiguous) return all_written(written + offset[0], bytes * kLanes);
    if (l.has_all_hosts && bytes == 4) return lanes_written<std::uint32_t>(written, offset);
    if (l.has_all_hosts && bytes == 8) return lanes_written<std::uint64_t>(written, offset);
    for (int lane : lanes(mask))
        for (std::size_t b = 0; b < bytes; ++b)
            if (written[offset[lane] + b] != kWritten) return false;
    return true;
}

// Notes what is written, finds undefined values that are read.
void check_written(Warp& w, const Instr* i, Mask good, Lanes& l, const Request& r,
                   const std::uint32_t (&offset)[kLanes]) {
    Block& block = *w.block;
    const auto bytes = static_cast<std::size_t>(r.bytes);
    std::uint8_t* written = block.shared_written.data();
    const KnownBytes known{written, &block.shared_undefined, block.shared_written.size()};
    if (r.use == Use::write) {
        if (r.undefined) [[unlikely]]
            for (int lane : lanes(good)) write_known(r, lane, known, offset[lane]);
        else if (l.contiguous)
            std::memset(written + offset[0], kWritten, bytes * kLanes);
        else if (l.has_all_hosts && bytes == 4)
            for (const std::uint32_t at : offset) std::memset(written + at, kWritten, 4);
        else if (l.has_all_hosts && bytes == 8)
            for (const std::uint32_t at : offset) std::memset(written + at, kWritten, 8);
        else
            for (int lane : lanes(good)) std::memset(written + offset[lane], kWritten, bytes);
        return;
    }
    if (lanes_written(written, offset, good, l, bytes)) return;
    if ((r.order & kCheckedLate) == 0) find_unawaited(w, i, good, offset, r);
    no_undefined(*w.run, l);
    for (int lane : lanes(good))
        read_known(*w.run, l, r, lane, known, offset[lane],
                   [&] { return w.run->reporter.shared_origin(w, i, offset[lane], r.bytes); });
    if (r.replaces)
        for (int lane : lanes(good)) write_known(r, lane, known, offset[lane]);
}

}  // namespace

void check_shared(Warp& w, const Instr* i, Mask good, Lanes& l, const Request& r,
                  const std::uint32_t (&offset)[kLanes]) {
    Run& run = *w.run;
    Block& block = *w.block;
    const bool is_strong = r.strong && (r.order & kTakesData) == 0;
    const AccessKind kind = kind_of(r.use);
    if ((r.order & kCheckedLate) == 0)
        block.races->access(w.number, good, offset, r.bytes, kind, is_strong, w.function->count_base + i->source,
                            r.values, l.shape);
    if (is_strong)
        run.global_races.order().shared_access(*block.order, w.number, good, offset, kind, (r.order & kAcquires) != 0,
                                               (r.order & kReleases) != 0);
    check_written(w, i, good, l, r, offset);
}

}  // namespace vgpu
