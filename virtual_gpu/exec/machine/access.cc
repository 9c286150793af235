#include "virtual_gpu/exec/machine/access.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "virtual_gpu/counters/access_cost.h"
#include "virtual_gpu/undefined/shadow.h"
#include "virtual_gpu/what_if/experiment.h"
#include "virtual_gpu/what_if/writes.h"

namespace vgpu {
namespace {

// What a load gets that is not allowed to read.
alignas(64) const std::uint32_t kPoison[16] = {
    kPoisonWord, kPoisonWord, kPoisonWord, kPoisonWord, kPoisonWord, kPoisonWord, kPoisonWord, kPoisonWord,
    kPoisonWord, kPoisonWord, kPoisonWord, kPoisonWord, kPoisonWord, kPoisonWord, kPoisonWord, kPoisonWord};
std::uint8_t* poison() { return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(kPoison)); }

const char* word_for(Use u) { return u == Use::read ? "read" : u == Use::write ? "write" : "atomic"; }

struct Span {
    std::uint64_t low, high, bits;
};

// Finds the shape, too. Inactive lanes take the address of the first active one, so that later loops need no mask.
Span span_of(Lanes& l, Mask mask, int bytes) {
    const std::uint64_t first = l.address[first_lane(mask)];
    if (mask != kAllLanes) {
        std::uint64_t* a = l.address;
        for (unsigned i = 0; i < kLanes; ++i) a[i] = (mask >> i & 1) != 0 ? a[i] : first;
    }
    l.shape = std::has_single_bit(mask) ? AccessShape::row : shape_of(l.address, mask, bytes);
    l.contiguous = l.shape == AccessShape::row && mask == kAllLanes;
    l.has_all_hosts = false;
    if (l.shape != AccessShape::other) return {first, l.address[last_lane(mask)], first};
    std::uint64_t low = first, high = first, bits = 0;
    for (int i = 0; i < kLanes; ++i) {
        const std::uint64_t a = l.address[i];
        low = std::min(low, a);
        high = std::max(high, a);
        bits |= a;
    }
    return {low, high, bits};
}

// Some lane's access is not allowed.
void lose_shape(Lanes& l) {
    l.shape = AccessShape::other;
    l.contiguous = false;
}

Mask slow_global(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r) {
    Mask good = 0;
    Run& run = *w.run;
    const auto bytes = static_cast<std::uint64_t>(r.bytes);
    for (int lane : lanes(mask)) {
        const std::uint64_t at = l.address[lane];
        Allocation* a = run.memory.find(at);
        Kind kind{};
        if (!a || at < a->first || at - a->base + bytes > a->bytes) {
            kind = Kind::out_of_bounds;
        } else if (a->freed) {
            kind = Kind::use_after_free;
        } else if (at % bytes != 0) {
            kind = Kind::misaligned;
        } else if (a->read_only && r.use != Use::read) {
            kind = Kind::invalid_access;
        } else {
            good |= Mask{1} << lane;
            l.host[lane] = a->data + (at - a->base);
            continue;
        }
        l.host[lane] = poison();
        run.reporter.bad_access(w, i, lane, at, r.bytes, word_for(r.use), kind, a);
        run.note_bad(kind == Kind::misaligned ? Status::misaligned_address : Status::illegal_address);
    }
    return good;
}

// A write is progress, unless it writes what is there already. That is only looked at if a launch seems not to end.
void note_write(Progress& progress, Mask mask, const Lanes& l, const Request& r) {
    if (!progress.watches || !r.values) return progress.note();
    const auto bytes = static_cast<std::size_t>(r.bytes);
    for (int lane : lanes(mask)) {
        const auto* value = static_cast<const std::uint8_t*>(r.values) + static_cast<std::size_t>(lane) * bytes;
        if (std::memcmp(l.at(lane, bytes), value, bytes) != 0) return progress.note();
    }
    progress.note_same();
}

}  // namespace

Mask resolve_global(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r) {
    Run& run = *w.run;
    const auto bytes = static_cast<std::uint64_t>(r.bytes);
    const Span s = span_of(l, mask, r.bytes);
    Allocation* a = s.low >= kGlobalFirst ? run.memory.lookup(s.low) : nullptr;
    Mask good = mask;
    if (a && s.low >= a->first && s.high - a->base + bytes <= a->bytes && s.high >= s.low && !a->freed &&
        (s.bits & (bytes - 1)) == 0 && (r.use == Use::read || !a->read_only)) {
        if (l.contiguous) {
            l.first = a->data + (l.address[0] - a->base);
        } else {
            const std::uint64_t delta = reinterpret_cast<std::uintptr_t>(a->data) - a->base;
            for (int lane = 0; lane < kLanes; ++lane)
                l.host[lane] = reinterpret_cast<std::uint8_t*>(l.address[lane] + delta);
            l.has_all_hosts = true;
        }
    } else {
        a = nullptr;
        lose_shape(l);
        good = slow_global(w, i, mask, l, r);
        if (good == 0) return 0;
    }
    if (run.counting) count_global(w, i, good, l, r, a);
    if (run.watch.tracer) [[unlikely]]
        run.watch.tracer->global(w, i, good, l.address, r);
    if (run.watch.what_if && run.watch.what_if->rules().in_place) [[unlikely]]
        run.watch.what_if->access_in_place(w, i, good, l, r, a);
    else
        check_global(w, i, good, l, r, a);
    if (run.watch.writes) [[unlikely]]
        run.watch.writes->global(w, i, good, l, r, a);
    // A loop that reads until another warp writes should let that warp run. With seed 0, only where as many blocks take
    // turns as the device holds: the modelled time counts how often the loop reads.
    if (r.strong && r.use == Use::read && (run.options.seed != 0 || run.setup.takes_turns)) w.since_chosen.polls = true;
    if (r.strong && run.host != nullptr && r.use != Use::write) [[unlikely]] {
        const Allocation* its = a ? a : run.memory.find(l.address[first_lane(good)]);
        run.progress.polls_host |= its->mapped != 0 || its->is_foreign || its->base >= kVariablesFirst;
    }
    if (r.use == Use::write) note_write(run.progress, good, l, r);
    return good;
}

Mask resolve_constant(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r) {
    Request request = r;
    request.is_constant = true;
    const Mask constant = constant_lanes(w, i, mask, l, r);
    Mask good = 0;
    if (constant != 0) good = resolve_global(w, i, constant, l, request);
    if (constant != mask) {
        if (l.contiguous)
            for (int lane : lanes(constant)) l.host[lane] = l.first + lane * r.bytes;
        lose_shape(l);
        l.has_all_hosts = false;
        for (int lane : lanes(mask & ~constant)) l.host[lane] = poison();
    }
    return good;
}

Mask resolve_shared(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r) {
    Run& run = *w.run;
    Block& block = *w.block;
    const auto bytes = static_cast<std::uint64_t>(r.bytes);
    const Span s = span_of(l, mask, r.bytes);
    alignas(64) std::uint32_t offset[kLanes];
    constexpr std::uint64_t kWindow = std::uint64_t{1} << kSharedBits;
    const std::uint64_t number = (s.low >> kSharedBits) - 1;
    Mask good = mask;
    if (number < run.setup.shared.size.size() &&
        (s.low & (kWindow - 1)) + (s.high - s.low) + bytes <= run.setup.shared.size[number] &&
        (s.bits & (bytes - 1)) == 0) {
        const auto delta = run.setup.shared.place[number] - shared_address(static_cast<int>(number));
        for (int lane = 0; lane < kLanes; ++lane) offset[lane] = static_cast<std::uint32_t>(l.address[lane]) + delta;
        if (l.contiguous) {
            l.first = block.shared.data() + offset[0];
        } else {
            for (int lane = 0; lane < kLanes; ++lane) l.host[lane] = block.shared.data() + offset[lane];
            l.has_all_hosts = true;
        }
    } else {
        lose_shape(l);
        good = 0;
        for (int lane : lanes(mask)) {
            const std::uint64_t at = l.address[lane], n = (at >> kSharedBits) - 1, in = at & (kWindow - 1);
            const bool inside = n < run.setup.shared.size.size() && in + bytes <= run.setup.shared.size[n];
            if (inside && at % bytes == 0) {
                good |= Mask{1} << lane;
                offset[lane] = run.setup.shared.place[n] + static_cast<std::uint32_t>(in);
                l.host[lane] = block.shared.data() + offset[lane];
                continue;
            }
            const Kind kind = inside ? Kind::misaligned : Kind::out_of_bounds;
            l.host[lane] = poison();
            run.reporter.bad_shared(w, i, lane, static_cast<std::uint32_t>(at), r.bytes, word_for(r.use), kind);
            run.note_bad(inside ? Status::misaligned_address : Status::illegal_address);
        }
        if (good == 0) return 0;
    }
    if (r.strong && r.use == Use::read) w.since_chosen.polls = true;
    if (run.counting) count_shared(w, i, good, l, r, offset);
    if (run.watch.tracer) [[unlikely]]
        run.watch.tracer->shared(w, i, good, offset, r);
    if (run.checking) check_shared(w, i, good, l, r, offset);
    if (run.watch.writes) [[unlikely]]
        run.watch.writes->shared(w, i, good, offset, l, r);
    if (r.use == Use::write) note_write(run.progress, good, l, r);
    return good;
}

Mask resolve_local(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r) {
    Run& run = *w.run;
    const auto bytes = static_cast<std::uint64_t>(r.bytes);
    const std::uint64_t top = w.frame->local_base + w.function->local_bytes;
    l.contiguous = false;
    Mask good = 0;
    for (int lane : lanes(mask)) {
        const std::uint64_t at = l.address[lane];
        if (at < top && at + bytes <= top && at % bytes == 0) {
            good |= Mask{1} << lane;
            l.host[lane] = w.local.bytes.data() + static_cast<std::uint64_t>(lane) * w.local.capacity + at;
            continue;
        }
        l.host[lane] = poison();
        run.reporter.bad_local(w, i, lane, at, r.bytes, word_for(r.use),
                               at % bytes != 0 ? Kind::misaligned : Kind::out_of_bounds);
        run.note_bad(Status::illegal_address);
    }
    if (run.checking && good != 0) {
        const KnownBytes known{w.local.written.data(), &w.local.undefined, w.local.written.size()};
        bool cleared = false;
        for (int lane : lanes(good)) {
            const std::size_t at = static_cast<std::size_t>(lane) * w.local.capacity + l.address[lane];
            if (r.use == Use::write) {
                if (r.undefined) [[unlikely]]
                    write_known(r, lane, known, at);
                else
                    std::memset(&w.local.written[at], kWritten, bytes);
                continue;
            }
            bool all = true;
            for (std::size_t b = 0; b < bytes; ++b) all = all && w.local.written[at + b] == kWritten;
            if (all) continue;
            if (!cleared) no_undefined(run, l);
            cleared = true;
            read_known(run, l, r, lane, known, at, [&] { return run.reporter.local_origin(w, i); });
        }
    }
    if (run.counting && good != 0) count_local(w, i, good, l, bytes);
    return good;
}

Mask resolve_param(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r) {
    Run& run = *w.run;
    const auto bytes = static_cast<std::uint64_t>(r.bytes);
    l.contiguous = false;
    l.cycles = static_cast<std::uint32_t>(run.options.latencies.constant);
    Mask good = 0;
    for (int lane : lanes(mask)) {
        const std::uint64_t at = l.address[lane] - kParamWindow;
        if (at < run.setup.params.size() && at + bytes <= run.setup.params.size() && r.use == Use::read) {
            good |= Mask{1} << lane;
            l.host[lane] = run.setup.params.data() + at;
            continue;
        }
        l.host[lane] = poison();
        run.reporter.bad_access(w, i, lane, l.address[lane], r.bytes, word_for(r.use), Kind::out_of_bounds, nullptr);
        run.note_bad(Status::illegal_address);
    }
    return good;
}

// The arguments of a launch by a kernel, between cudaGetParameterBuffer and cudaLaunchDevice: a slot for each.
Mask resolve_launch(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r) {
    Run& run = *w.run;
    l.contiguous = false;
    l.cycles = static_cast<std::uint32_t>(run.options.latencies.global_again);
    Mask good = 0;
    for (int lane : lanes(mask)) {
        const std::uint64_t at = l.address[lane] - kLaunchWindow;
        l.host[lane] = run.grids.slot_params(at / kLaunchSlot, at % kLaunchSlot, static_cast<std::uint64_t>(r.bytes));
        if (l.host[lane]) {
            good |= Mask{1} << lane;
            // Padding of an argument that is a struct counts for nothing.
            for (int b = 0; r.undefined && b < r.bytes; ++b) {
                const OriginId origin = r.undefined->origin[lane][b / 4];
                if (r.undefined->bits[lane][b] == 0 || (origin & (kPadding | kComputed)) == kPadding) continue;
                use_undefined(w, i, lane, origin, "is an argument of the kernel launched");
                break;
            }
            continue;
        }
        l.host[lane] = poison();
        run.reporter.bad_access(w, i, lane, l.address[lane], r.bytes, word_for(r.use), Kind::out_of_bounds, nullptr);
        run.note_bad(Status::illegal_address);
    }
    return good;
}

constexpr DevicePtr kNearLocal = DevicePtr{1} << (kLocalBits - 1);

// Addresses in the local window become offsets. A GPU gives each thread its own memory there, whoever's address it was.
void not_of_another_thread(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r) {
    for (int lane : lanes(mask)) {
        DevicePtr& at = l.address[lane];
        const DevicePtr own = at - w.local_window(lane), offset = local_offset(at);
        const bool is_near = own + kNearLocal < 2 * kNearLocal;  // an index below 0 leads out of the thread's window
        if (!is_near && offset < w.local.capacity)
            w.run->reporter.bad_access(w, i, lane, at, r.bytes, word_for(r.use), Kind::out_of_bounds, nullptr);
        at = is_near ? own : offset;
    }
}

enum Window : std::uint8_t { kToGlobal, kToShared, kToLocal, kToParam, kToLaunch, kWindows };

Window window_of(DevicePtr at) {
    if (at - kSharedWindow < kWindowBytes) return kToShared;
    if (is_local(at)) return kToLocal;
    if (at - kParamWindow < kWindowBytes) return kToParam;
    return at - kLaunchWindow < kWindowBytes ? kToLaunch : kToGlobal;
}

Mask resolve_in(Window window, Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r) {
    constexpr decltype(&resolve_global) kResolve[kWindows] = {resolve_global, resolve_shared, resolve_local,
                                                              resolve_param, resolve_launch};
    if (window == kToShared)
        for (DevicePtr& at : l.address) at -= kSharedWindow;
    if (window == kToLocal) not_of_another_thread(w, i, mask, l, r);
    return kResolve[window](w, i, mask, l, r);
}

Mask resolve_generic(Warp& w, const Instr* i, Mask mask, Lanes& l, const Request& r) {
    Mask in[kWindows] = {};
    for (int lane : lanes(mask)) in[window_of(l.address[lane])] |= Mask{1} << lane;
    const Window first = window_of(l.address[first_lane(mask)]);
    if (in[first] == mask) return resolve_in(first, w, i, mask, l, r);  // nearly always
    Mask good = 0;
    Lanes all = l;
    for (int window = 0; window < kWindows; ++window) {
        if (in[window] == 0) continue;
        Lanes part = l;
        part.undefined = all.undefined;
        good |= resolve_in(static_cast<Window>(window), w, i, in[window], part, r);
        for (int lane : lanes(in[window])) all.host[lane] = part.at(lane, static_cast<std::size_t>(r.bytes));
        all.undefined = part.undefined;
        all.cycles = std::max(all.cycles, part.cycles);
    }
    all.contiguous = false;
    l = all;
    return good;
}

}  // namespace vgpu
