#include "virtual_gpu/undefined/shadow.h"

#include <algorithm>
#include <cstring>

#include "virtual_gpu/exec/machine/access.h"

namespace vgpu {
namespace {

Mask bit(int lane) { return Mask{1} << lane; }

template <class T>
Mask lanes_not_zero(const std::uint8_t* p) {
    Mask m = 0;
    for (int l = 0; l < kLanes; ++l) {
        T v;
        std::memcpy(&v, p + static_cast<std::size_t>(l) * sizeof v, sizeof v);
        m |= Mask{v != 0} << l;
    }
    return m;
}

void get_lanes(const std::uint8_t* p, int bytes, std::uint64_t (&out)[32]) {
    const auto all = [&](auto t) {
        for (int l = 0; l < kLanes; ++l) {
            std::memcpy(&t, p + static_cast<std::size_t>(l) * sizeof t, sizeof t);
            out[l] = t;
        }
    };
    Mask m;
    switch (bytes) {
        case 0:
            std::memcpy(&m, p, sizeof m);
            for (int l = 0; l < kLanes; ++l) out[l] = m >> l & 1;
            return;
        case 2:
            return all(std::uint16_t{});
        case 4:
            return all(std::uint32_t{});
        default:
            return all(std::uint64_t{});
    }
}

void decide_params(Warp& w, const Instr* i, Mask m) {
    Shadow& s = *w.shadow;
    if (!s.any_params()) return;
    const CallSite& site = w.function->calls[i->aux];
    for (const auto& [first, bytes] : site.argument_places)
        for (int lane : lanes(m))
            for (std::size_t b = 0; b < bytes; ++b) {
                const std::size_t at = static_cast<std::size_t>(lane) * w.function->param_bytes + first + b;
                if (*s.param_bits(at) == 0) continue;
                use_undefined(w, i, lane, s.param_origin(at), "is an argument of a call");
                params_defined(*w.frame, lane, first, bytes);
                break;
            }
}

void decide_operands(Warp& w, const Instr* i, Mask m, const Passing& p) {
    Shadow& s = *w.shadow;
    if (p.rule == Rule::load || p.rule == Rule::store || p.rule == Rule::atomic || p.rule == Rule::copy)
        w.undefined.guessed = s.undefined(i->a, 8) & m;
    switch (p.rule) {
        case Rule::load:
            decide(w, i, m, i->a, 8, "is in the address that is read");
            if (p.parts == 1) return s.define(i->d, p.d, m);
            for (int k = 0; k < p.parts; ++k) s.define(w.function->lists[i->aux + static_cast<unsigned>(k)], p.more, m);
            return;
        case Rule::store:
            return decide(w, i, m, i->a, 8, "is in the address that is written");
        case Rule::atomic:
            decide(w, i, m, i->a, 8, "is in the address of the atomic");
            decide(w, i, m, i->b, p.b, "is an operand of the atomic");
            decide(w, i, m, i->c, p.c, "is an operand of the atomic");
            return s.define(i->d, p.d, m);
        case Rule::copy:
            for (const auto& [column, bytes] : {std::pair{i->a, p.a}, {i->b, p.b}, {i->c, p.c}})
                decide(w, i, m, column, bytes, "is an operand of the copy");
            return;
        case Rule::barrier:
            for (const auto& [column, bytes] : {std::pair{i->a, p.a}, {i->b, p.b}, {i->c, p.c}})
                decide(w, i, m, column, bytes, "is an operand of the barrier");
            return s.define(i->d, p.d, m);
        case Rule::branch:
            return decide(w, i, m, i->a, p.a, "decides the branch");
        case Rule::call:
            if (p.moved != 0) return decide_params(w, i, m);
            if (const CallSite& site = w.function->calls[i->aux]; !site.callee)
                decide(w, i, m, site.target, 8, "decides which function is called");
            return;
        case Rule::shuffle:
            decide(w, i, m, static_cast<Column>(i->imm), 4, "is in the mask of the shuffle");
            decide(w, i, m, i->b, 4, "decides the lane of the shuffle");
            return decide(w, i, m, i->c, 4, "decides the lane of the shuffle");
        case Rule::across_lanes:
            return decide(w, i, m, i->b, 4, "is in the mask of the warp operation");
        case Rule::load_param:
            return s.define(i->d, p.d, m);
        default:
            return;
    }
}

const char* guards(Rule r) {
    switch (r) {
        case Rule::branch:
            return "decides the branch";
        case Rule::store:
            return "decides whether there is a write";
        default:
            return "decides whether there is anything to do";
    }
}

std::uint64_t extended(std::uint64_t bits, int bytes, bool is_signed) {
    if (!is_signed || bytes == 8) return bits;
    const int up = 64 - 8 * bytes;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << up) >> up);
}

// Bits for all lanes of a 4-byte column or a predicate, for an operation between the lanes.
struct Result {
    std::uint64_t bits[32] = {};
    OriginId origin[32] = {};
    bool any = false;
    void set(int lane, std::uint64_t value, OriginId from) {
        bits[lane] = value;
        origin[lane] = from;
        any |= value != 0;
    }
};

OriginId first_origin(const Shadow& s, Column c, Mask undefined) { return s.origins(c)[first_lane(undefined)]; }

}  // namespace

// ---- Shadow ----

void Shadow::reset(const Function& f) {
    if (bits_.size() != f.register_bytes) {
        bits_.assign(f.register_bytes, 0);
        origins_.assign(std::size_t{f.register_bytes} / 64 * 32, 0);
        any_.assign(f.register_bytes / 64, 0);
    } else if (count_ != 0) {
        std::fill(bits_.begin(), bits_.end(), std::uint8_t{0});
        std::fill(any_.begin(), any_.end(), std::uint8_t{0});
    }
    count_ = 0;
    any_params_ = false;
}

Mask Shadow::undefined(Column c, int bytes) const {
    if (!any(c)) return 0;
    const std::uint8_t* p = &bits_[c];
    Mask m;
    switch (bytes) {
        case 0:
            std::memcpy(&m, p, sizeof m);
            return m;
        case 2:
            return lanes_not_zero<std::uint16_t>(p);
        case 4:
            return lanes_not_zero<std::uint32_t>(p);
        default:
            return lanes_not_zero<std::uint64_t>(p);
    }
}

void Shadow::get(Column c, int bytes, std::uint64_t (&out)[32]) const {
    if (any(c))
        get_lanes(&bits_[c], bytes, out);
    else
        std::memset(out, 0, sizeof out);
}

void Shadow::put(Column c, int bytes, Mask mask, const std::uint64_t (&bits)[32], const OriginId (&origin)[32]) {
    if (bytes == 0) {
        Mask m;
        std::memcpy(&m, &bits_[c], sizeof m);
        m &= ~mask;
        for (int l : lanes(mask)) m |= static_cast<Mask>(bits[l] & 1) << l;
        std::memcpy(&bits_[c], &m, sizeof m);
    } else {
        for (int l : lanes(mask))
            std::memcpy(&bits_[c + static_cast<Column>(l * bytes)], &bits[l], static_cast<std::size_t>(bytes));
    }
    OriginId* to = origins(c);
    for (int l : lanes(mask)) to[l] = origin[l];
    note(c, bytes);
}

void Shadow::clear(Column c, int bytes, Mask mask) {
    constexpr std::uint64_t kZeros[32] = {};
    constexpr OriginId kNoOrigins[32] = {};
    put(c, bytes, mask, kZeros, kNoOrigins);
}

void Shadow::note(Column c, int bytes) {
    std::uint8_t& flag = any_[c >> 6];
    count_ -= flag;
    flag = 1;
    flag = undefined(c, bytes) != 0;
    count_ += flag;
}

void Shadow::leave_unwritten(Column c, int bytes, Mask mask) {
    std::uint64_t bits[32];
    std::fill(std::begin(bits), std::end(bits), ~std::uint64_t{0});
    constexpr OriginId kNoOrigins[32] = {};
    put(c, bytes, mask, bits, kNoOrigins);
}

void Shadow::need_params(const Function& f) {
    if (any_params_) return;
    any_params_ = true;
    ++count_;
    param_bits_.assign(std::size_t{kLanes} * f.param_bytes + kMostRequestBytes, 0);
    param_origins_.assign(param_bits_.size() / 4 + 1, 0);
}

void get_values(const Warp& w, Column c, int bytes, std::uint64_t (&out)[32]) {
    get_lanes(w.col<std::uint8_t>(c), bytes, out);
}

// ---- Decisions ----

void use_undefined(Warp& w, const Instr* i, int lane, OriginId origin, const char* what) {
    w.run->reporter.undefined(w, i, lane, origin, what);
}

void decide(Warp& w, const Instr* i, Mask m, Column c, int bytes, const char* what) {
    Shadow& s = *w.shadow;
    const Mask bad = s.undefined(c, bytes) & m;
    if (bad == 0) return;
    for (int lane : lanes(bad)) use_undefined(w, i, lane, s.origins(c)[lane], what);
    s.define(c, bytes, bad);
}

void pass_on(Warp& w, const Instr* i, Mask m, Mask guarded) {
    const Passing& p = w.function->passing_of(i);
    w.undefined.guessed = 0;
    if (p.rule == Rule::late_check) return;  // the branch itself tells of its condition
    Shadow& s = *w.shadow;
    if (!w.undefined.either_ways.empty()) [[unlikely]]
        end_either_ways(w, i, guarded);
    Mask unsure = 0;
    if (s.any(i->guard)) {
        unsure = s.undefined(i->guard, 0) & guarded;
        if (unsure != 0 && p.rule == Rule::branch) unsure &= ~choose_either_way(w, i, unsure);
        if (unsure != 0 && (decides(p.rule) || p.rule == Rule::unpack)) {
            decide(w, i, unsure, i->guard, 0, guards(p.rule));
            unsure = 0;
        }
    }
    if (decides(p.rule)) {
        if (m != 0) decide_operands(w, i, m, p);
        return;
    }
    if (m != 0) pass_arithmetic(w, i, m, p);
    if (unsure == 0 || i->d == kNone) return;
    // Whether the result was written at all is undefined.
    std::uint64_t bits[32];
    OriginId origin[32];
    std::fill(std::begin(bits), std::end(bits), ~std::uint64_t{0});
    for (int l = 0; l < kLanes; ++l) origin[l] = s.origins(i->guard)[l] | kComputed;
    s.put(i->d, p.d, unsure, bits, origin);
}

// ---- Memory ----

void loaded_undefined(Warp& w, Mask m, const RequestBits& from, const Column* columns, int parts, int bytes, int wide,
                      bool is_signed) {
    w.begin_shadow();
    for (int k = 0; k < parts; ++k) {
        std::uint64_t bits[32] = {};
        OriginId origin[32] = {};
        bool any = false;
        for (int l : lanes(m)) {
            std::memcpy(&bits[l], &from.bits[l][k * bytes], static_cast<std::size_t>(bytes));
            any |= bits[l] != 0;
            bits[l] = extended(bits[l], bytes, is_signed);
            for (int b = 0; b < bytes && origin[l] == 0; ++b)
                if (from.bits[l][k * bytes + b] != 0) origin[l] = from.origin[l][(k * bytes + b) / 4];
        }
        if (any) w.shadow->put(columns[k], wide, m, bits, origin);
    }
}

const RequestBits* stored_undefined(Warp& w, const Instr* i, Mask m, const Column* columns, int parts, int bytes,
                                    int wide) {
    const Shadow& s = *w.shadow;
    bool any = false;
    for (int k = 0; k < parts; ++k) any |= s.any(columns[k]);
    if (!any) return nullptr;
    RequestBits& to = w.run->undefined.stored;
    std::memset(&to, 0, sizeof to);
    any = false;
    for (int k = 0; k < parts; ++k) {
        if (!s.any(columns[k])) continue;
        std::uint64_t bits[32];
        s.get(columns[k], wide, bits);
        for (int l : lanes(m)) {
            std::memcpy(&to.bits[l][k * bytes], &bits[l], static_cast<std::size_t>(bytes));
            for (int b = 0; b < bytes; ++b)
                if (to.bits[l][k * bytes + b] != 0) {
                    const OriginId origin = s.origins(columns[k])[l];
                    to.origin[l][(k * bytes + b) / 4] =
                        (origin & kOriginNumber) != 0 ? origin : w.run->reporter.variable_origin(w, i);
                    any = true;
                }
        }
    }
    return any ? &to : nullptr;
}

void changed_undefined(Warp& w, const Instr* i, Mask m, const RequestBits& read, int bytes) {
    for (int lane : lanes(m))
        for (int b = 0; b < bytes; ++b)
            if (read.bits[lane][b] != 0) {
                use_undefined(w, i, lane, read.origin[lane][b / 4], "is changed by the atomic");
                break;
            }
}

bool is_undefined(Warp& w, const Instr* i, int lane, std::uint64_t generic, int bytes, OriginId& origin) {
    Run& run = *w.run;
    if (!run.checking) return false;
    Lanes found;
    const Request request{.bytes = bytes};
    no_undefined(run, found);
    if (is_local(generic) && local_offset(generic) < w.local.capacity) {
        const std::size_t at = static_cast<std::size_t>(lane) * w.local.capacity + local_offset(generic);
        read_known(run, found, request, lane, {w.local.written.data(), &w.local.undefined, w.local.written.size()}, at,
                   [&] { return run.reporter.local_origin(w, i); });
    } else if (Allocation* a = run.memory.find(generic);
               a && !a->freed && generic >= a->base && generic - a->base + static_cast<unsigned>(bytes) <= a->bytes) {
        read_known(run, found, request, lane, {a->written, &a->undefined, a->bytes}, generic - a->base,
                   [&] { return run.reporter.global_origin(w, i, *a, generic, bytes); });
    }
    for (int b = 0; found.undefined && b < bytes; ++b)
        if (found.undefined->bits[lane][b] != 0) {
            origin = found.undefined->origin[lane][b / 4];
            return true;
        }
    return false;
}

void now_written(Warp& w, int lane, std::uint64_t generic, int bytes) {
    const auto count = static_cast<std::size_t>(bytes);
    if (is_local(generic) && local_offset(generic) < w.local.capacity && w.run->checking) {
        const std::size_t at = static_cast<std::size_t>(lane) * w.local.capacity + local_offset(generic);
        std::memset(&w.local.written[at], kWritten, count);
    }
    if (const std::uint64_t at = generic - kSharedWindow; at < kWindowBytes && w.run->checking) {
        const std::uint32_t start = w.run->setup.shared.place[(at >> kSharedBits) - 1];
        std::memset(&w.block->shared_written[start + (at & ((1u << kSharedBits) - 1))], kWritten, count);
    }
    w.run->memory.mark_written(generic, count);
}

// ---- Between lanes ----

void shuffled_undefined(Warp& w, const Instr* i, Mask m, const std::uint32_t (&from)[32], Mask absent) {
    std::uint64_t a[32] = {};
    if (w.shadow) w.shadow->get(i->a, 4, a);
    Result r;
    OriginId fresh = 0;
    for (int l : lanes(m)) {
        const std::uint32_t source = from[l];
        if ((absent >> source & 1) != 0) {
            if (fresh == 0) fresh = w.run->reporter.shuffle_origin(w, i);
            r.set(l, ~std::uint64_t{0}, fresh);
        } else if (a[source] != 0) {
            r.set(l, a[source], w.shadow->origins(i->a)[source]);
        }
    }
    if (r.any) w.begin_shadow();
    if (!w.shadow) return;
    w.shadow->put(i->d, 4, m, r.bits, r.origin);
    if (i->aux != kNone) w.shadow->define(i->aux, 0, m);
}

void voted_undefined(Warp& w, const Instr* i, Mask m, Mask values, VoteMode mode) {
    Shadow& s = *w.shadow;
    const Mask unsure = s.undefined(i->a, 0) & m;
    Result r;
    std::uint64_t members[32];
    std::fill(std::begin(members), std::end(members), kAllLanes);
    if (i->b != kNone) get_values(w, i->b, 4, members);
    for (int l : lanes(m)) {
        const Mask who = m & static_cast<Mask>(members[l]), u = who & unsure;
        if (u == 0) continue;
        const Mask yes = who & ~unsure & values, no = who & ~unsure & ~values;
        const bool settled = mode == kAll ? no != 0 : mode == kAny ? yes != 0 : mode == kUni && yes != 0 && no != 0;
        if (!settled) r.set(l, mode == kBallot ? u : 1, first_origin(s, i->a, u) | kComputed);
    }
    s.put(i->d, mode == kBallot ? 4 : 0, m, r.bits, r.origin);
}

void matched_undefined(Warp& w, const Instr* i, Mask m) {
    Shadow& s = *w.shadow;
    const Mask unsure = s.undefined(i->a, w.function->passing_of(i).a) & m;
    Result same, all;
    std::uint64_t members[32];
    get_values(w, i->b, 4, members);
    for (int l : lanes(m)) {
        const Mask who = m & static_cast<Mask>(members[l]), others = who & ~bit(l);
        const Mask u = (unsure >> l & 1) != 0 ? others : others & unsure;
        if (u == 0) continue;
        const OriginId origin = first_origin(s, i->a, (unsure >> l & 1) != 0 ? bit(l) : u) | kComputed;
        same.set(l, u, origin);
        all.set(l, 1, origin);
    }
    s.put(i->d, 4, m, same.bits, same.origin);
    if (i->aux != kNone) s.put(i->aux, 0, m, all.bits, all.origin);
}

void reduced_undefined(Warp& w, const Instr* i, Mask m) {
    Shadow& s = *w.shadow;
    const Mask unsure = s.undefined(i->a, 4) & m;
    Result r;
    std::uint64_t members[32];
    get_values(w, i->b, 4, members);
    for (int l : lanes(m))
        if (const Mask u = m & static_cast<Mask>(members[l]) & unsure; u != 0)
            r.set(l, ~std::uint64_t{0}, first_origin(s, i->a, u) | kComputed);
    s.put(i->d, 4, m, r.bits, r.origin);
}

// ---- Parameters of functions ----

void param_stored(Warp& w, const Instr* i, Mask m) {
    Shadow& s = *w.shadow;
    const Passing& p = w.function->passing_of(i);
    if (!s.any(i->b) && !s.any_params()) return;
    s.need_params(*w.function);
    std::uint64_t bits[32];
    s.get(i->b, p.b, bits);
    for (int l : lanes(m)) {
        const std::size_t at = static_cast<std::size_t>(l) * w.function->param_bytes + static_cast<std::size_t>(i->imm);
        std::memcpy(s.param_bits(at), &bits[l], p.more);
        if (bits[l] == 0) continue;
        for (std::size_t b = 0; b < p.more; ++b) s.param_origin(at + b) = s.origins(i->b)[l];
    }
}

void param_loaded(Warp& w, const Instr* i, Mask m) {
    Shadow& s = *w.shadow;
    const Passing& p = w.function->passing_of(i);
    if (!s.any_params()) return;
    std::uint64_t bits[32] = {};
    OriginId origin[32] = {};
    for (int l : lanes(m)) {
        const std::size_t at = static_cast<std::size_t>(l) * w.function->param_bytes + static_cast<std::size_t>(i->imm);
        std::memcpy(&bits[l], s.param_bits(at), p.more);
        bits[l] = extended(bits[l], p.more, p.moved != 0);
        origin[l] = s.param_origin(at);
    }
    s.put(i->d, p.d, m, bits, origin);
}

void params_passed(const Frame& from, std::size_t from_at, Frame& to, std::size_t to_at, std::size_t bytes, Mask m) {
    const bool some = from.shadow && from.shadow->any_params();
    if (!some && !(to.shadow && to.shadow->any_params())) return;
    if (!to.shadow) to.shadow = std::make_unique<Shadow>(*to.function);
    to.shadow->need_params(*to.function);
    for (int l : lanes(m))
        for (std::size_t b = 0; b < bytes; ++b) {
            const std::size_t at = static_cast<std::size_t>(l) * to.function->param_bytes + to_at + b;
            const std::size_t source = static_cast<std::size_t>(l) * from.function->param_bytes + from_at + b;
            *to.shadow->param_bits(at) = some ? *from.shadow->param_bits(source) : 0;
            if (some) to.shadow->param_origin(at) = from.shadow->param_origin(source);
        }
}

void params_defined(Frame& frame, int lane, std::size_t at, std::size_t bytes) {
    if (!frame.shadow || !frame.shadow->any_params()) return;
    std::memset(frame.shadow->param_bits(static_cast<std::size_t>(lane) * frame.function->param_bytes + at), 0, bytes);
}

}  // namespace vgpu
