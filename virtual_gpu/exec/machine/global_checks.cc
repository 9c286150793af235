// The checks of accesses to global memory other than bounds: undefined values and races.
#include <bit>
#include <cstring>

#include "virtual_gpu/exec/decode/decoder.h"
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/what_if/experiment.h"

namespace vgpu {
namespace {

bool is_written(const std::uint8_t* flags, int bytes) {
    if (bytes == 4) {
        std::uint32_t four;
        std::memcpy(&four, flags, 4);
        return four == static_cast<std::uint32_t>(kAllWritten);
    }
    for (int b = 0; b < bytes; ++b)
        if (flags[b] != kWritten) return false;
    return true;
}

// All lines that the lanes access are known to be written. Inactive lanes have an active one's address.
bool is_whole(const Lanes& l, Mask mask, std::size_t bytes, const Allocation& a) {
    if (l.shape != AccessShape::other) {
        const std::uint64_t low = l.address[first_lane(mask)], high = l.address[last_lane(mask)];
        return a.is_whole(low - a.base, high - low + bytes);
    }
    std::uint32_t all = 1;
    for (const std::uint64_t at : l.address) all &= a.whole[(at - a.base) >> Allocation::kLineShift];
    return all != 0;
}

// Every access of the request is good: the same rule for all lanes.
void check_written(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r, Allocation* one) {
    const auto bytes = static_cast<std::size_t>(r.bytes);
    const auto known = [](Allocation& a) { return KnownBytes{a.written, &a.undefined, a.bytes}; };
    if (r.use == Use::write) {
        if (l.contiguous && !r.undefined) {
            const std::uint64_t at = l.address[0] - one->base;
            if (!one->is_whole(at, bytes * kLanes)) one->mark_written(at, bytes * kLanes);
            return;
        }
        for (int lane : lanes(mask)) {
            Allocation* a = one ? one : w.run->memory.find(l.address[lane]);
            const std::uint64_t at = l.address[lane] - a->base;
            if (!r.undefined) {
                if (!a->is_whole(at, bytes)) std::memset(a->written + at, kWritten, bytes);
                continue;
            }
            a->not_whole(at, bytes);
            write_known(r, lane, known(*a), at);
        }
        return;
    }
    if (!w.run->checking) return;
    if (one && is_whole(l, mask, bytes, *one)) return;
    if (l.contiguous && all_written(one->written + (l.address[0] - one->base), bytes * kLanes)) return;
    bool cleared = false;
    for (int lane : lanes(mask)) {
        Allocation* a = one ? one : w.run->memory.find(l.address[lane]);
        const std::uint64_t at = l.address[lane] - a->base;
        if (is_written(a->written + at, r.bytes)) continue;
        if (!cleared) no_undefined(*w.run, l);
        cleared = true;
        read_known(*w.run, l, r, lane, known(*a), at,
                   [&] { return w.run->reporter.global_origin(w, i, *a, l.address[lane], r.bytes); });
        if (!r.replaces) continue;
        a->not_whole(at, bytes);
        write_known(r, lane, known(*a), at);
    }
}

// Lanes whose store writes what is in memory already.
Mask keeps_bytes(Mask mask, const Lanes& l, const Request& r, Allocation* one, Memory& memory) {
    const auto* value = static_cast<const std::uint8_t*>(r.values);
    const auto bytes = static_cast<std::size_t>(r.bytes);
    Mask kept = 0;
    for (int lane : lanes(mask)) {
        const Allocation* a = one ? one : memory.find(l.address[lane]);
        const std::uint64_t at = l.address[lane] - a->base;
        const bool is_same = std::memcmp(a->data + at, value + static_cast<std::size_t>(lane) * bytes, bytes) == 0;
        if (is_same && is_written(a->written + at, r.bytes)) kept |= Mask{1} << lane;
    }
    return kept;
}

void check_races(Warp& w, const Instr* i, Mask mask, const Lanes& l, const Request& r, Allocation& a, Mask kept) {
    if (a.read_only && !a.races) return;  // constants: only followed for races between streams
    if (!a.races) a.races = std::make_shared<RaceShadow>(a.bytes);
    GlobalAccess access;
    access.kind = kind_of(r.use);
    access.bytes = r.bytes;
    access.element_bytes = r.element_bytes != 0 ? r.element_bytes : r.bytes;
    access.is_strong = r.strong;
    access.acquires = (r.order & kAcquires) != 0;
    access.releases = (r.order & kReleases) != 0;
    access.scope = (r.order & kOfBlock) != 0 ? Scope::block : Scope::device;
    access.is_read_only = (r.order & kReadOnly) != 0;
    access.is_contiguous = l.contiguous;
    access.pc = w.function->count_base + i->source;
    access.base = a.base;
    access.addresses = l.address;
    access.data = a.data;
    access.values = r.values;
    access.keeps_bytes = kept & mask;
    w.run->global_races.access(*w.block->order, w.number, mask, *static_cast<RaceShadow*>(a.races.get()), access);
}

// Array by array.
void check_races(Warp& w, const Instr* i, Mask mask, const Lanes& l, const Request& r, Mask kept) {
    for (Mask rest = mask; rest != 0;) {
        Allocation* a = w.run->memory.find(l.address[first_lane(rest)]);
        Mask inside = 0;
        for (int lane : lanes(rest))
            if (l.address[lane] - a->base < a->bytes) inside |= Mask{1} << lane;
        check_races(w, i, inside, l, r, *a, kept);
        rest &= ~inside;
    }
}

// Lanes whose loads have run already, in bounds. The other lanes have the place of one of them.
void late_shared(Warp& w, const Instr* i, Mask mask, const std::uint32_t (&offset)[kLanes]) {
    const auto bytes = static_cast<int>(i->aux);
    w.block->races->access(w.number, mask, offset, bytes, AccessKind::read, false, w.function->count_base + i->source,
                           nullptr, shape_of(offset, mask, bytes));
}

bool skips_late(const Run& run) { return run.watch.what_if && run.watch.what_if->rules().in_place; }

// Nearly always, all lanes are in one array, and their loads have no finding. False: not so, and nothing is done.
bool late_check_of_one(const Instr* i, Warp& w, Mask mask, Lanes& l) {
    Run& run = *w.run;
    const std::uint64_t size = i->aux, first = l.address[first_lane(mask)];
    std::uint64_t low = first, high = first, bits = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t at = l.address[lane] = (mask >> lane & 1) != 0 ? l.address[lane] : first;
        low = std::min(low, at);
        high = std::max(high, at);
        bits |= at;
    }
    if ((bits & (size - 1)) != 0) return false;
    if (low - kSharedWindow < kWindowBytes) {
        constexpr std::uint64_t kInside = (std::uint64_t{1} << kSharedBits) - 1;
        const std::uint64_t n = ((low - kSharedWindow) >> kSharedBits) - 1;
        if (n >= run.setup.shared.size.size() || (low & kInside) + (high - low) + size > run.setup.shared.size[n])
            return false;
        const auto delta = run.setup.shared.place[n] + static_cast<std::uint32_t>(low & kInside);
        alignas(64) std::uint32_t offset[kLanes];
        for (int lane = 0; lane < kLanes; ++lane)
            offset[lane] = static_cast<std::uint32_t>(l.address[lane] - low) + delta;
        late_shared(w, i, mask, offset);
        return true;
    }
    Allocation* a = low >= kGlobalFirst ? run.memory.lookup(low) : nullptr;
    if (!a || a->freed || low < a->base || high - a->base + size > a->bytes) return false;
    if (skips_late(run)) return true;
    l.shape = shape_of(l.address, mask, static_cast<int>(size));
    l.contiguous = l.shape == AccessShape::row && mask == kAllLanes;
    check_races(w, i, mask, l, {.bytes = static_cast<int>(size), .use = Use::read, .order = i->small}, *a, 0);
    return true;
}

// The race check of a load that has run already, for lanes whose value counts.
const Instr* late_check(const Instr* i, Warp& w, Mask mask) {
    Run& run = *w.run;
    if (!run.checking) return i + 1;
    const std::uint64_t size = i->aux;
    Lanes l;
    for (int lane = 0; lane < kLanes; ++lane)
        l.address[lane] = w.col<const std::uint64_t>(i->a)[lane] + static_cast<std::uint64_t>(i->imm);
    if (late_check_of_one(i, w, mask, l)) return i + 1;
    Mask global = 0, shared = 0;
    std::uint32_t offset[kLanes] = {};
    for (int lane : lanes(mask)) {
        const std::uint64_t at = l.address[lane], n = ((at - kSharedWindow) >> kSharedBits) - 1;
        const std::uint64_t in = at & ((std::uint64_t{1} << kSharedBits) - 1);
        if (at % size != 0) continue;  // the load has its finding
        if (at - kSharedWindow < kWindowBytes) {
            if (n >= run.setup.shared.size.size() || in + size > run.setup.shared.size[n]) continue;
            shared |= Mask{1} << lane;
            offset[lane] = run.setup.shared.place[n] + static_cast<std::uint32_t>(in);
        } else if (const Allocation* a = run.memory.find(at);
                   a && !a->freed && at >= a->base && at - a->base + size <= a->bytes) {
            global |= Mask{1} << lane;
        }
    }
    if (shared != 0) {
        for (int lane : lanes(~shared)) offset[lane] = offset[first_lane(shared)];
        late_shared(w, i, shared, offset);
    }
    if (global == 0 || skips_late(run)) return i + 1;
    for (int lane : lanes(~global)) l.address[lane] = l.address[first_lane(global)];
    check_races(w, i, global, l, {.bytes = static_cast<int>(size), .use = Use::read, .order = i->small}, 0);
    return i + 1;
}

}  // namespace

bool all_written(const std::uint8_t* p, std::size_t bytes) {
    std::uint64_t all = kAllWritten;
    for (std::size_t i = 0; i < bytes; i += 8) {
        std::uint64_t v;
        std::memcpy(&v, p + i, 8);
        all &= v;
    }
    return all == kAllWritten;
}

void check_global(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r, Allocation* one) {
    const bool may_keep = w.run->checking && r.use == Use::write && !r.strong && r.values && !r.undefined &&
                          !std::has_single_bit(mask) && w.run->global_races.order().has_releases();
    const Mask kept = may_keep ? keeps_bytes(mask, l, r, one, w.run->memory) : 0;
    check_written(w, i, mask, l, r, one);
    if (!w.run->checking || (r.order & kCheckedLate) != 0) return;
    one ? check_races(w, i, mask, l, r, *one, kept) : check_races(w, i, mask, l, r, kept);
}

Handler late_check_handler() { return late_check; }

Mask constant_lanes(Warp& w, const Instr* i, Mask mask, const Lanes& l, const Request& r) {
    Mask constant = 0;
    const Allocation* a = nullptr;
    for (int lane : lanes(mask)) {
        const DevicePtr at = l.address[lane];
        if (a == nullptr || at - a->base >= a->bytes) a = w.run->memory.find(at);
        if (a != nullptr && a->read_only) {
            constant |= Mask{1} << lane;
            continue;
        }
        w.run->reporter.not_constant(w, i, lane, at, r.bytes, a);
        w.run->note_bad(Status::illegal_address);
    }
    return constant;
}

}  // namespace vgpu
