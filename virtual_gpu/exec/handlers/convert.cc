// cvt, and copying between columns of different width.
#include <limits>

#include "virtual_gpu/exec/handlers/float_ops.h"
#include "virtual_gpu/exec/handlers/small_floats.h"

namespace vgpu {
namespace {

using ptx::Type;

// 8-bit values live in 16-bit columns.
template <class T>
using ColumnOf = std::conditional_t<sizeof(T) == 1, u16, T>;
template <class D>
ColumnOf<D> keep(D x) {
    if constexpr (sizeof(D) == 1)
        return std::is_signed_v<D> ? u16(s16(x)) : u16(x);
    else
        return x;
}

template <class D, class S, bool kSat>
struct IntToInt {
    static ColumnOf<D> f(ColumnOf<S> raw) {
        const S x = S(raw);
        if constexpr (kSat) {
            const __int128 v = x, low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max();
            return keep(D(v < low ? low : v > high ? high : v));
        } else {
            return keep(D(x));
        }
    }
};

template <class D, class S>
struct IntToFloat {
    static D f(ColumnOf<S> raw) { return D(S(raw)); }
};

template <int kMode, class T>
T to_integral(T x) {
    if constexpr (kMode == FE_TOWARDZERO)
        return std::trunc(x);
    else if constexpr (kMode == FE_DOWNWARD)
        return std::floor(x);
    else if constexpr (kMode == FE_UPWARD)
        return std::ceil(x);
    else
        return sizeof(T) == 4 ? T(__builtin_rintf(float(x))) : T(__builtin_rint(double(x)));
}

template <class D, class S, int kMode, bool kFtz>
struct FloatToInt {
    static ColumnOf<D> f(S x) {
        const S r = to_integral<kMode>(flush<kFtz>(x));
        // 2^n, exactly; the largest integer itself may not be a float.
        constexpr S above = S(std::numeric_limits<D>::max() / 2 + 1) * 2;
        constexpr S low = S(std::numeric_limits<D>::min());
        constexpr D nan =
            std::is_same_v<S, double> || sizeof(D) == 8 ? D(std::make_unsigned_t<D>(1) << (8 * sizeof(D) - 1)) : D(0);
        if (x != x) return keep(nan);
        if (r >= above) return keep(std::numeric_limits<D>::max());
        if (r <= low) return keep(std::numeric_limits<D>::min());
        return keep(D(r));
    }
};

template <class T, int kMode>
struct Integral {
    static T f(T x) { return to_integral<kMode>(x); }
};
struct Same {
    template <class T>
    static T f(T x) {
        return x;
    }
};
struct Widen {
    static double f(float x) { return x; }
};
template <bool kFtz, bool kSat>
struct Narrow {
    static float f(double x) { return saturate<kSat>(flush<kFtz>(float(x))); }  // a NaN keeps its payload
};
template <bool kSat>
struct SatDouble {
    static double f(double x) { return saturate<kSat>(x); }
};

template <class Op, class D, class A>
__attribute__((noinline)) const Instr* rounded1(const Instr* i, Warp& w, Mask m) {
    const Rounding mode(mode_of(i));
    D* d = w.col<D>(i->d);
    const A* a = w.col<const A>(i->a);
    for (int l : lanes(m)) d[l] = Op::f(a[l]);
    return i + 1;
}

// Through double precision, to and from the 16-bit floats.
enum : std::uint32_t {
    kFromBfloat = 1,
    kToBfloat = 2,
    kSaturate = 4,
    kRelu = 8,
    kFlushed = 16,
    kOneNan = 32,
    kFromDouble = 64
};
const Instr* from_half(const Instr* i, Warp& w, Mask m) {
    float* d = w.col<float>(i->d);
    const u16* a = w.col<const u16>(i->a);
    for (int l : lanes(m)) {
        d[l] = (i->aux & kFromBfloat) != 0 ? bfloat_to_float(a[l]) : half_to_float(a[l]);
        if ((i->aux & kOneNan) != 0) d[l] = canonical(d[l]);
        if ((i->aux & kSaturate) != 0) d[l] = saturate<true>(d[l]);
    }
    return i + 1;
}
u16 narrow(double x, std::uint32_t flags, int mode) {
    if ((flags & kFlushed) != 0) x = double(flush<true>(float(x)));
    if ((flags & kSaturate) != 0) x = saturate<true>(x);
    if ((flags & kRelu) != 0 && x <= 0) x = 0;
    if ((flags & kFromDouble) != 0 && x != x) {  // the top of a double's payload is kept
        const u64 b = std::bit_cast<u64>(x);
        const auto sign = u16(b >> 48 & 0x8000);
        return (flags & kToBfloat) != 0 ? u16(sign | 0x7FC0 | (b >> 45 & 0x7F))
                                        : u16(sign | 0x7E00 | (b >> 42 & 0x3FF));
    }
    return (flags & kToBfloat) != 0 ? double_to_bfloat(x, mode) : double_to_half(x, mode);
}
// 64-bit integers to double precision, rounded to odd: the second rounding is right then.
template <class A>
double to_double(A a) {
    double d = double(a);
    if constexpr (std::is_integral_v<A> && sizeof(A) == 8) {
        const __int128 exact = a, got = __int128(d);
        if (got != exact) {
            u64 b = std::bit_cast<u64>(d);
            if ((got > exact) == (exact > 0)) --b;
            d = std::bit_cast<double>(b | 1);
        }
    }
    return d;
}
template <class A>
const Instr* to_half(const Instr* i, Warp& w, Mask m) {
    u16* d = w.col<u16>(i->d);
    const A* a = w.col<const A>(i->a);
    for (int l : lanes(m)) d[l] = narrow(to_double(a[l]), i->aux, mode_of(i));
    return i + 1;
}
const Instr* to_half_pair(const Instr* i, Warp& w, Mask m) {
    u32* d = w.col<u32>(i->d);
    const float *a = w.col<const float>(i->a), *b = w.col<const float>(i->b);
    for (int l : lanes(m)) d[l] = u32(narrow(a[l], i->aux, mode_of(i))) << 16 | narrow(b[l], i->aux, mode_of(i));
    return i + 1;
}

template <class F>
void with_narrow_integer(Type t, F f) {
    if (t == Type::u8 || t == Type::b8) return f(u8{});
    if (t == Type::s8) return f(s8{});
    with_integer(t, f);
}

bool is_half(Type t) { return t == Type::f16 || t == Type::bf16; }
bool is_integer(Type t) { return !is_half(t) && !is_float_type(t); }

template <class D, class S>
Handler float_to_int(int mode, bool ftz) {
    switch (mode) {
        case FE_TOWARDZERO:
            return ftz ? op1<FloatToInt<D, S, FE_TOWARDZERO, true>, ColumnOf<D>, S>
                       : op1<FloatToInt<D, S, FE_TOWARDZERO, false>, ColumnOf<D>, S>;
        case FE_DOWNWARD:
            return ftz ? op1<FloatToInt<D, S, FE_DOWNWARD, true>, ColumnOf<D>, S>
                       : op1<FloatToInt<D, S, FE_DOWNWARD, false>, ColumnOf<D>, S>;
        case FE_UPWARD:
            return ftz ? op1<FloatToInt<D, S, FE_UPWARD, true>, ColumnOf<D>, S>
                       : op1<FloatToInt<D, S, FE_UPWARD, false>, ColumnOf<D>, S>;
        default:
            return ftz ? op1<FloatToInt<D, S, FE_TONEAREST, true>, ColumnOf<D>, S>
                       : op1<FloatToInt<D, S, FE_TONEAREST, false>, ColumnOf<D>, S>;
    }
}

template <class T>
Handler integral(int mode, bool ftz, bool sat) {
    switch (mode) {
        case FE_TOWARDZERO:
            return float_handler<Integral<T, FE_TOWARDZERO>, T, 1>(ftz, sat);
        case FE_DOWNWARD:
            return float_handler<Integral<T, FE_DOWNWARD>, T, 1>(ftz, sat);
        case FE_UPWARD:
            return float_handler<Integral<T, FE_UPWARD>, T, 1>(ftz, sat);
        default:
            return float_handler<Integral<T, FE_TONEAREST>, T, 1>(ftz, sat);
    }
}

bool rounds_to_integer(const Decoder& d) { return d.has("rni") || d.has("rzi") || d.has("rmi") || d.has("rpi"); }

void convert(Decoder& d, Type to, Type from, Column target, Column a) {
    const int mode = rounding_of(d);
    const bool ftz = d.has("ftz"), sat = d.has("sat");
    if (is_half(from)) {  // exact in single precision
        const bool ends = to == Type::f32 && !rounds_to_integer(d);
        const Column single = ends ? target : d.temporary(4);
        Instr& i = d.emit(from_half, single, a);
        i.aux = (from == Type::bf16 ? kFromBfloat : 0u) | (ends && sat ? kSaturate : 0u) |
                (from == Type::f16 && to == Type::f32 ? kOneNan : 0u);
        if (ends) return;
        return convert(d, to, Type::f32, target, single);
    }
    if (is_half(to)) {
        if (is_float_type(from) && rounds_to_integer(d)) {
            const Column whole = d.temporary(4);
            if (from != Type::f32) throw Unsupported{};
            d.emit(integral<float>(mode, ftz, false), whole, a);
            a = whole;
        }
        Handler h = from == Type::f32 ? to_half<float> : from == Type::f64 ? to_half<double> : nullptr;
        if (!h) {
            if (size_of(from) == 1) {
                const Column whole = d.temporary(2);
                d.emit(from == Type::s8 ? op1<IntToInt<s16, s8, false>, s16, u16>
                                        : op1<IntToInt<u16, u8, false>, u16, u16>,
                       whole, a);
                a = whole;
                from = from == Type::s8 ? Type::s16 : Type::u16;
            }
            with_integer(from, [&](auto x) { h = to_half<decltype(x)>; });
        }
        Instr& i = d.emit(h, target, a);
        i.small = small_rounding(mode);
        i.aux = (to == Type::bf16 ? kToBfloat : 0u) | (sat ? kSaturate : 0u) | (d.has("relu") ? kRelu : 0u) |
                (ftz ? kFlushed : 0u) | (from == Type::f64 ? kFromDouble : 0u);
        return;
    }
    if (is_integer(to) && is_integer(from)) {
        with_narrow_integer(to, [&](auto x) {
            with_narrow_integer(from, [&](auto y) {
                using D = decltype(x);
                using S = decltype(y);
                d.emit(sat ? op1<IntToInt<D, S, true>, ColumnOf<D>, ColumnOf<S>>
                           : op1<IntToInt<D, S, false>, ColumnOf<D>, ColumnOf<S>>,
                       target, a);
                if (!sat) d.passes(Rule::moves);
            });
        });
        return;
    }
    if (is_integer(from)) {
        with_narrow_integer(from, [&](auto y) {
            using S = decltype(y);
            const bool nearest = mode == FE_TONEAREST;
            Handler h = to == Type::f32 ? (nearest ? op1<IntToFloat<float, S>, float, ColumnOf<S>>
                                                   : rounded1<IntToFloat<float, S>, float, ColumnOf<S>>)
                                        : (nearest ? op1<IntToFloat<double, S>, double, ColumnOf<S>>
                                                   : rounded1<IntToFloat<double, S>, double, ColumnOf<S>>);
            d.emit(h, target, a).small = small_rounding(mode);
        });
        if (sat)
            d.emit(to == Type::f32 ? float_handler<Same, float, 1>(false, true) : op1<SatDouble<true>, double, double>,
                   target, target);
        return;
    }
    if (is_integer(to)) {
        with_narrow_integer(to, [&](auto x) {
            using D = decltype(x);
            d.emit(from == Type::f32 ? float_to_int<D, float>(mode, ftz) : float_to_int<D, double>(mode, false), target,
                   a);
        });
        return;
    }
    if (to == from) {
        const bool whole = rounds_to_integer(d);
        if (to == Type::f64)
            d.emit(whole ? integral<double>(mode, false, false) : op1<Same, double, double>, target, a);
        else
            d.emit(whole ? integral<float>(mode, ftz, sat) : float_handler<Same, float, 1>(ftz, sat), target, a);
        if (to == Type::f64 && sat) d.emit(op1<SatDouble<true>, double, double>, target, target);
        return;
    }
    if (to == Type::f64) {
        if (ftz) {
            const Column flushed = d.temporary(4);
            d.emit(float_handler<Same, float, 1>(true, false), flushed, a);
            a = flushed;
        }
        d.emit(op1<Widen, double, float>, target, a);
        if (sat) d.emit(op1<SatDouble<true>, double, double>, target, target);
        return;
    }
    Handler h =
        ftz ? (sat ? rounded1<Narrow<true, true>, float, double> : rounded1<Narrow<true, false>, float, double>)
            : (sat ? rounded1<Narrow<false, true>, float, double> : rounded1<Narrow<false, false>, float, double>);
    if (mode == FE_TONEAREST && !ftz && !sat) h = op1<Narrow<false, false>, float, double>;
    d.emit(h, target, a).small = small_rounding(mode);
}

void cvt(Decoder& d) {
    if (decode_small_floats(d)) return;
    if (d.has("pack") || d.has("rna") || d.has("rs") || d.has("satfinite") || d.types() != 2) throw Unsupported{};
    const Type to = d.type(0), from = d.type(1);
    if (to == Type::f16x2 || to == Type::bf16x2) {
        if (from != Type::f32 || d.operands() != 3) throw Unsupported{};
        const Column a = d.value(1, from), b = d.value(2, from);
        Instr& i = d.emit(to_half_pair, d.result(0, Type::b32), a, b);
        i.small = small_rounding(rounding_of(d));
        i.aux = (to == Type::bf16x2 ? kToBfloat : 0u) | (d.has("relu") ? kRelu : 0u);
        d.passes(Rule::half_pair);
        return;
    }
    const auto raw = [](Type t) { return is_half(t) ? Type::b16 : t; };
    const Column a = d.value(1, raw(from));
    convert(d, to, from, d.result(0, raw(to)), a);
}

template <class D, class S>
Handler resize_of() {
    return op1<IntToInt<D, S, false>, D, S>;
}
template <class D>
Handler resize_from(int bytes, bool is_signed) {
    if (bytes == 2) return is_signed ? resize_of<D, s16>() : resize_of<D, u16>();
    if (bytes == 4) return is_signed ? resize_of<D, s32>() : resize_of<D, u32>();
    return resize_of<D, u64>();
}

}  // namespace

Handler resize_handler(int to, int from, bool is_signed) {
    return to == 2   ? resize_from<u16>(from, is_signed)
           : to == 4 ? resize_from<u32>(from, is_signed)
                     : resize_from<u64>(from, is_signed);
}

void add_convert(DecodeTable& t) { t[Opcode::cvt] = cvt; }

}  // namespace vgpu
