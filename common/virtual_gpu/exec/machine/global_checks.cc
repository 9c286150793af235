// The checks of accesses to global memory other than bounds: uninitialised reads and races.
#include <cstring>

#include "virtual_gpu/exec/machine/access.h"

namespace vgpu {
namespace {

void check_written(Warp& w, const Instr* i, int lane, const Allocation* a, std::uint64_t at, const Request& r) {
    const std::uint8_t* written = a->written + (at - a->base);
    for (int b = 0; b < r.bytes; ++b) {
        if (written[b] != 0 || (r.unused_bytes >> b & 1) != 0) continue;
        w.run->reporter.uninitialized(w, i, lane, a, at, r.bytes);
        return;
    }
}

// Every access of the request is good: the same rule for all lanes.
void check_written_all(Warp& w, const Instr* i, Mask mask, const Lanes& l, const Request& r, Allocation* one) {
    const auto bytes = static_cast<std::size_t>(r.bytes);
    if (r.use == Use::write) {
        if (l.contiguous) {
            std::memset(one->written + (l.address[0] - one->base), 1, bytes * kLanes);
            return;
        }
        for (int lane : lanes(mask)) {
            Allocation* a = one ? one : w.run->memory.find(l.address[lane]);
            std::memset(a->written + (l.address[lane] - a->base), 1, bytes);
        }
        return;
    }
    if (!w.run->checking) return;
    if (l.contiguous && all_ones(one->written + (l.address[0] - one->base), bytes * kLanes)) return;
    for (int lane : lanes(mask)) {
        const Allocation* a = one ? one : w.run->memory.find(l.address[lane]);
        check_written(w, i, lane, a, l.address[lane], r);
    }
}

void check_races(Warp& w, const Instr* i, Mask mask, const Lanes& l, const Request& r, Allocation& a) {
    constexpr AccessKind kKinds[] = {AccessKind::read, AccessKind::write, AccessKind::atomic, AccessKind::reduction};
    if (a.read_only) return;
    if (!a.races) a.races = std::make_shared<RaceShadow>(a.bytes);
    GlobalAccess access;
    access.kind = kKinds[static_cast<int>(r.use)];
    access.bytes = r.bytes;
    access.element_bytes = r.element_bytes != 0 ? r.element_bytes : r.bytes;
    access.is_strong = r.strong;
    access.acquires = (r.order & kAcquires) != 0;
    access.releases = (r.order & kReleases) != 0;
    access.scope = (r.order & kOfBlock) != 0 ? Scope::block : Scope::device;
    access.is_contiguous = l.contiguous;
    access.pc = w.function->count_base + i->source;
    access.base = a.base;
    access.addresses = l.address;
    access.data = a.data;
    access.values = r.values;
    w.run->global_races->access(*w.block->order, w.number, mask, *static_cast<RaceShadow*>(a.races.get()), access);
}

}  // namespace

bool all_ones(const std::uint8_t* p, std::size_t bytes) {
    std::uint64_t all = 0x0101'0101'0101'0101u;
    for (std::size_t i = 0; i < bytes; i += 8) {
        std::uint64_t v;
        std::memcpy(&v, p + i, 8);
        all &= v;
    }
    return all == 0x0101'0101'0101'0101u;
}

void check_global(Warp& w, const Instr* i, Mask mask, const Lanes& l, const Request& r, Allocation* one) {
    check_written_all(w, i, mask, l, r, one);
    if (!w.run->checking) return;
    if (one) return check_races(w, i, mask, l, r, *one);
    for (Mask rest = mask; rest != 0;) {  // array by array
        Allocation* a = w.run->memory.find(l.address[first_lane(rest)]);
        Mask inside = 0;
        for (int lane : lanes(rest))
            if (l.address[lane] - a->base < a->bytes) inside |= Mask{1} << lane;
        check_races(w, i, inside, l, r, *a);
        rest &= ~inside;
    }
}

}  // namespace vgpu
