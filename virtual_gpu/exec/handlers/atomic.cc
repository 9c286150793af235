// atom and red. Lanes go one after the other, in order of their number.
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "virtual_gpu/exec/decode/atomics.h"
#include "virtual_gpu/exec/handlers/float_ops.h"
#include "virtual_gpu/exec/machine/access.h"
#include "virtual_gpu/undefined/shadow.h"
#include "virtual_gpu/what_if/writes.h"

namespace vgpu {
namespace {

using ptx::Type;

struct Add {
    template <class T>
    static T f(T old, T b, T) {
        return T(old + b);
    }
};
// Global memory's own adder flushes subnormal numbers of single precision, and leaves NaNs of double precision as they
// are; shared memory's does neither.
struct FloatAdd {
    static float f(float old, float b, float) { return canonical(old + b); }
    static float in_global(float old, float b) { return canonical(flush<true>(flush<true>(old) + flush<true>(b))); }
    static double f(double old, double b, double) { return old + b; }
    static double in_global(double old, double b) { return b != b ? b : old != old ? old : old + b; }
};
struct Min {
    template <class T>
    static T f(T old, T b, T) {
        return b < old ? b : old;
    }
};
struct Max {
    template <class T>
    static T f(T old, T b, T) {
        return old < b ? b : old;
    }
};
struct And {
    template <class T>
    static T f(T old, T b, T) {
        return old & b;
    }
};
struct Or {
    template <class T>
    static T f(T old, T b, T) {
        return old | b;
    }
};
struct Xor {
    template <class T>
    static T f(T old, T b, T) {
        return old ^ b;
    }
};
struct Inc {
    template <class T>
    static T f(T old, T b, T) {
        return old >= b ? 0 : old + 1;
    }
};
struct Dec {
    template <class T>
    static T f(T old, T b, T) {
        return old == 0 || old > b ? b : old - 1;
    }
};
struct Exch {
    template <class T>
    static T f(T, T b, T) {
        return b;
    }
};
struct Cas {
    template <class T>
    static T f(T old, T b, T c) {
        return old == b ? c : old;
    }
};
// Single precision has digits enough: rounding its sum once more is rounding once.
struct HalfAdd {
    static u16 f(u16 old, u16 b, u16) { return float_to_half(half_to_float(old) + half_to_float(b)); }
};
struct BfloatAdd {
    static u16 f(u16 old, u16 b, u16) {
        return float_to_bfloat(bfloat_to_float(old) + bfloat_to_float(b), FE_TONEAREST);
    }
};
template <class Op>
struct Both {
    static u32 f(u32 old, u32 b, u32) {
        return u32(Op::f(u16(old), u16(b), 0)) | u32(Op::f(u16(old >> 16), u16(b >> 16), 0)) << 16;
    }
};

// The host may change the word at the same time, by an atomic of its own. False: it has, and `old` is its value.
template <class T>
bool replace(std::uint8_t* at, T& old, T now) {
    using Word = std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;
    Word expected = std::bit_cast<Word>(old);
    const bool is_done =
        std::atomic_ref(*reinterpret_cast<Word*>(at)).compare_exchange_strong(expected, std::bit_cast<Word>(now));
    old = std::bit_cast<T>(expected);
    return is_done;
}

enum : std::uint8_t { kGlobal, kShared, kGeneric, kSpace = 3 };  // Instr::small, with Order

template <class Op, class T, bool kTakesOld>
const Instr* atomic(const Instr* i, Warp& w, Mask m) {
    Lanes l;
    const u64* address = w.col<const u64>(i->a);
    for (int lane = 0; lane < kLanes; ++lane) l.address[lane] = address[lane] + static_cast<u64>(i->imm);
    const Request r{.bytes = sizeof(T),
                    .use = kTakesOld ? Use::atomic : Use::reduction,
                    .strong = true,
                    .order = i->small,
                    .atomic_passes = static_cast<int>(i->aux),
                    .replaces = std::is_same_v<Op, Exch>};
    w.since_chosen.strong = true;
    const int space = i->small & kSpace;
    const Mask good = space == kGlobal   ? resolve_global(w, i, m, l, r)
                      : space == kShared ? resolve_shared(w, i, m, l, r)
                                         : resolve_generic(w, i, m, l, r);
    const T* b = w.col<const T>(i->b);
    const T* c = w.col<const T>(i->c);
    alignas(64) T taken[kLanes];
    bool changed = false;
    for (int lane : lanes(good)) {
        std::uint8_t* at = l.at(lane, sizeof(T));
        T old, now;
        std::memcpy(&old, at, sizeof old);
        do {
            if constexpr (requires { Op::in_global(old, old); }) {
                const u64 place = address[lane] + static_cast<u64>(i->imm);
                const bool shared = space == kShared || (space == kGeneric && place - kSharedWindow < kWindowBytes);
                now = shared ? Op::f(old, b[lane], c[lane]) : Op::in_global(old, b[lane]);
            } else {
                now = Op::f(old, b[lane], c[lane]);
            }
        } while (w.run->host != nullptr && !replace(at, old, now));
        if (w.run->host == nullptr) std::memcpy(at, &now, sizeof now);
        changed |= std::memcmp(&now, &old, sizeof now) != 0;
        taken[lane] = old;
        if (w.run->watch.writes) [[unlikely]]
            w.run->watch.writes->atomic(w, i, lane, l.address[lane], at, &old, &now, sizeof now, r.replaces);
    }
    if (changed) w.run->progress.note();
    if constexpr (kTakesOld) {
        T* d = w.col<T>(i->d);
        for (int lane : lanes(m)) {
            if ((good >> lane & 1) != 0)
                d[lane] = taken[lane];
            else
                std::memcpy(&d[lane], &kPoisonWord, std::min(sizeof(T), sizeof kPoisonWord));
        }
        if (w.run->counting) w.ready[i->d >> 6] = w.now + l.cycles;
    }
    if (l.undefined) [[unlikely]] {
        if constexpr (std::is_same_v<Op, Exch> && kTakesOld) {
            loaded_undefined(w, good, *l.undefined, &i->d, 1, sizeof(T), sizeof(T), false);
        } else if constexpr (!std::is_same_v<Op, Exch>) {
            changed_undefined(w, i, good, *l.undefined, sizeof(T));
        }
    }
    return i + 1;
}

template <class Op, class T>
Handler both(bool takes_old) {
    return takes_old ? atomic<Op, T, true> : atomic<Op, T, false>;
}
template <class Op>
Handler bits(Type t, bool takes_old) {
    return size_of(t) == 8   ? both<Op, u64>(takes_old)
           : size_of(t) == 4 ? both<Op, u32>(takes_old)
                             : throw Unsupported{};
}
template <class Op>
Handler ordered(Type t, bool takes_old) {
    switch (t) {
        case Type::s32:
            return both<Op, s32>(takes_old);
        case Type::u32:
            return both<Op, u32>(takes_old);
        case Type::s64:
            return both<Op, s64>(takes_old);
        case Type::u64:
            return both<Op, u64>(takes_old);
        default:
            throw Unsupported{};
    }
}

Handler choose(const Decoder& d, Type t, bool old) {
    for (const char* vector : {"v2", "v4", "v8"})
        if (d.has(vector)) throw Unsupported{};
    if (d.has("cas")) return size_of(t) == 2 ? both<Cas, u16>(old) : bits<Cas>(t, old);
    if (d.has("exch")) return bits<Exch>(t, old);
    if (d.has("and")) return bits<And>(t, old);
    if (d.has("or")) return bits<Or>(t, old);
    if (d.has("xor")) return bits<Xor>(t, old);
    if (d.has("inc")) return both<Inc, u32>(old);
    if (d.has("dec")) return both<Dec, u32>(old);
    if (d.has("min")) return ordered<Min>(t, old);
    if (d.has("max")) return ordered<Max>(t, old);
    if (!d.has("add")) throw Unsupported{};
    switch (t) {
        case Type::f32:
            return both<FloatAdd, float>(old);
        case Type::f64:
            return both<FloatAdd, double>(old);
        case Type::f16:
            return both<HalfAdd, u16>(old);
        case Type::f16x2:
            return both<Both<HalfAdd>, u32>(old);
        case Type::bf16:
            return both<BfloatAdd, u16>(old);
        case Type::bf16x2:
            return both<Both<BfloatAdd>, u32>(old);
        default:
            return bits<Add>(t, old);
    }
}

// 128 bits: the operands are halves, whose columns are in the side table.
template <bool kCompares>
const Instr* atomic_wide(const Instr* i, Warp& w, Mask m) {
    using Wide = std::array<u64, 2>;
    Lanes l;
    const u64* address = w.col<const u64>(i->a);
    for (int lane = 0; lane < kLanes; ++lane) l.address[lane] = address[lane] + static_cast<u64>(i->imm);
    const Request r{
        .bytes = sizeof(Wide), .use = Use::atomic, .strong = true, .order = i->small, .replaces = !kCompares};
    w.since_chosen.strong = true;
    const std::uint32_t* list = &w.function->lists[i->aux];
    if (w.shadow) [[unlikely]]
        for (std::size_t k = 2; k < (kCompares ? 6 : 4); ++k)
            decide(w, i, m, list[k], 8, "is an operand of the atomic");
    const int space = i->small & kSpace;
    const Mask good = space == kGlobal   ? resolve_global(w, i, m, l, r)
                      : space == kShared ? resolve_shared(w, i, m, l, r)
                                         : resolve_generic(w, i, m, l, r);
    const auto half = [&](std::size_t k) { return w.col<u64>(list[k]); };
    Wide taken[kLanes];
    bool changed = false;
    for (int lane : lanes(good)) {
        std::uint8_t* at = l.at(lane, sizeof(Wide));
        std::memcpy(&taken[lane], at, sizeof(Wide));
        const Wide b = {half(2)[lane], half(3)[lane]};
        Wide now = b;
        if constexpr (kCompares) now = taken[lane] == b ? Wide{half(4)[lane], half(5)[lane]} : taken[lane];
        changed |= now != taken[lane];
        std::memcpy(at, &now, sizeof now);
        if (w.run->watch.writes) [[unlikely]]
            w.run->watch.writes->atomic(w, i, lane, l.address[lane], at, &taken[lane], &now, sizeof now, r.replaces);
    }
    if (changed) w.run->progress.note();
    for (int lane : lanes(m))
        for (std::size_t k = 0; k < 2; ++k)
            half(k)[lane] = (good >> lane & 1) != 0 ? taken[lane][k] : u64{kPoisonWord} << 32 | kPoisonWord;
    if (w.run->counting)
        for (std::size_t k = 0; k < 2; ++k) w.ready[list[k] >> 6] = w.now + l.cycles;
    if (w.shadow) [[unlikely]]
        for (std::size_t k = 0; k < 2; ++k) w.shadow->define(list[k], 8, m);
    if (l.undefined) [[unlikely]] {
        if (kCompares)
            changed_undefined(w, i, good, *l.undefined, sizeof(Wide));
        else
            loaded_undefined(w, good, *l.undefined, list, 2, 8, 8, false);
    }
    return i + 1;
}

void decode_wide(Decoder& d) {
    if (!d.has("exch") && !d.has("cas")) throw Unsupported{};
    std::int64_t offset = 0;
    const Column a = decode_address(d, d.operand(1), offset);
    std::vector<std::uint32_t> list;
    for (const std::size_t n : {0, 2, 3}) {
        if (n == 3 && !d.has("cas")) break;
        const ptx::Operand& op = d.operand(n);
        const bool is_dropped = n == 0 && op.kind == ptx::Operand::Kind::sink;
        for (int half = 0; half < 2; ++half)
            list.push_back(is_dropped ? d.temporary(8) : d.half_column(op.index, half));
    }
    Instr& i = d.emit(d.has("cas") ? atomic_wide<true> : atomic_wide<false>, kNone, a);
    i.imm = offset;
    const int space = d.has("global") ? kGlobal : d.has("shared") || d.has("shared::cta") ? kShared : kGeneric;
    i.small = static_cast<std::uint8_t>(space | decode_order(d));
    i.aux = static_cast<std::uint32_t>(d.function.lists.size());
    d.function.lists.insert(d.function.lists.end(), list.begin(), list.end());
    d.passes(Rule::atomic);
}

template <bool kTakesOld>
void decode(Decoder& d) {
    if (d.has("async") || d.has("shared::cluster")) throw Unsupported{};
    const Type t = d.type();
    if (t == Type::b128 && kTakesOld) return decode_wide(d);
    const std::size_t first = kTakesOld ? 1 : 0;
    std::int64_t offset = 0;
    const Column a = decode_address(d, d.operand(first), offset);
    const Column b = d.value(first + 1, t);
    const bool has_third = d.has("cas");
    const Column c = has_third ? d.value(first + 2, t) : b;
    const Handler h = choose(d, t, kTakesOld);
    Instr& i = d.emit(h, kTakesOld ? d.result(0, t) : kNone, a, b, c);
    i.imm = offset;
    const int space = d.has("global") ? kGlobal : d.has("shared") || d.has("shared::cta") ? kShared : kGeneric;
    i.small = static_cast<std::uint8_t>(space | decode_order(d));
    i.aux = shared_passes(d.source, *d.in);
    d.passes(Rule::atomic).moved = d.has("exch");
}

}  // namespace

void add_atomic(DecodeTable& t) {
    t[Opcode::atom] = decode<true>;
    t[Opcode::red] = decode<false>;
}

}  // namespace vgpu
