// IEEE arithmetic of single and double precision: right to the bit in all four rounding modes.
#include "virtual_gpu/exec/handlers/float_ops.h"

namespace vgpu {
namespace {

using ptx::Type;

struct FAdd {
    static float f(float a, float b) { return a + b; }
    static double f(double a, double b) { return with_nan_of(a + b, a, b); }
};
struct FSub {
    static float f(float a, float b) { return a - b; }
    static double f(double a, double b) { return with_nan_of(a - b, b, a); }
};
struct FMul {
    static float f(float a, float b) { return a * b; }
    static double f(double a, double b) { return with_nan_of(a * b, a, b); }
};
struct FDiv {
    template <class T>
    static T f(T a, T b) {
        return a / b;
    }
};
struct FFma {
    static float f(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
    static double f(double a, double b, double c) { return with_nan_of(__builtin_fma(a, b, c), c, a != a ? a : b); }
};
// c - a * b and a * b - c, rounded once.
struct FMinusProduct {
    static float f(float a, float b, float c) { return __builtin_fmaf(-a, b, c); }
    static double f(double a, double b, double c) { return with_nan_of(__builtin_fma(-a, b, c), c, a != a ? a : b); }
};
struct FProductMinus {
    static float f(float a, float b, float c) { return __builtin_fmaf(a, b, -c); }
    static double f(double a, double b, double c) { return with_nan_of(__builtin_fma(a, b, -c), c, a != a ? a : b); }
};
struct FMinusProductMinus {
    static float f(float a, float b, float c) { return __builtin_fmaf(-a, b, -c); }
    static double f(double a, double b, double c) { return with_nan_of(__builtin_fma(-a, b, -c), c, a != a ? a : b); }
};
struct FSqrt {
    static float f(float a) { return __builtin_sqrtf(a); }
    static double f(double a) { return __builtin_sqrt(a); }
};
struct FRcp {
    template <class T>
    static T f(T a) {
        return T(1) / a;
    }
};

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, u32, u64>;
template <class T>
constexpr Bits<T> kSign = Bits<T>(1) << (8 * sizeof(T) - 1);
struct FAbs {
    template <class T>
    static T f(T a) {
        return std::bit_cast<T>(Bits<T>(std::bit_cast<Bits<T>>(a) & ~kSign<T>));
    }
};
struct FNeg {
    template <class T>
    static T f(T a) {
        return std::bit_cast<T>(Bits<T>(std::bit_cast<Bits<T>>(a) ^ kSign<T>));
    }
};
// Single precision gives its one NaN here, too; double precision leaves a NaN as it is, but quiet.
template <class Op, bool kFtz>
struct SignOnly {
    static float f(float a) { return a != a ? canonical(a) : Op::f(flush<kFtz>(a)); }
    static double f(double a) { return a != a ? with_nan_of(a, a, a) : Op::f(a); }
};
// copysign d, a, b: the sign of a, the size of b.
struct FCopySign {
    template <class T>
    static T f(T a, T b) {
        return std::bit_cast<T>(
            Bits<T>((std::bit_cast<Bits<T>>(a) & kSign<T>) | (std::bit_cast<Bits<T>>(b) & ~kSign<T>)));
    }
};
// -0 counts as less than +0. A NaN loses against a number, or wins with .NaN.
template <bool kMax, bool kNan>
struct FMinMax {
    template <class T>
    static T f(T a, T b) {
        const T nan = std::numeric_limits<T>::quiet_NaN();
        if (a != a) return kNan ? nan : b;
        if (b != b) return kNan ? nan : a;
        if (a == b) {  // zeros of either sign
            const Bits<T> x = std::bit_cast<Bits<T>>(a), y = std::bit_cast<Bits<T>>(b);
            return std::bit_cast<T>(Bits<T>(kMax ? x & y : x | y));
        }
        return (a < b) != kMax ? a : b;
    }
};
template <bool kMax, bool kNan>
struct FMinMaxXorSign {
    static float f(float a, float b) {
        const u32 sign = (std::bit_cast<u32>(a) ^ std::bit_cast<u32>(b)) & 0x8000'0000u;
        const float m = FMinMax<kMax, kNan>::f(FAbs::f(a), FAbs::f(b));
        return std::bit_cast<float>((std::bit_cast<u32>(m) & 0x7FFF'FFFFu) | sign);
    }
};

// In another rounding mode: lane by lane, nothing folded.
template <class Op, class T, int kArity, bool kFtz, bool kSat>
__attribute__((noinline)) const Instr* rounded(const Instr* i, Warp& w, Mask m) {
    const Rounding mode(mode_of(i));
    T* d = w.col<T>(i->d);
    const T *a = w.col<const T>(i->a), *b = w.col<const T>(i->b), *c = w.col<const T>(i->c);
    using Op2 = Wrapped<Op, kFtz, kSat>;
    for (int l : lanes(m)) {
        if constexpr (kArity == 1)
            d[l] = Op2::f(a[l]);
        else if constexpr (kArity == 2)
            d[l] = Op2::f(a[l], b[l]);
        else
            d[l] = Op2::f(a[l], b[l], c[l]);
    }
    return i + 1;
}
template <class Op, class T, int kArity>
Handler rounded_handler(bool ftz, bool sat) {
    if constexpr (std::is_same_v<T, double>) return rounded<Op, T, kArity, false, false>;
    if (sat) return ftz ? rounded<Op, T, kArity, true, true> : rounded<Op, T, kArity, false, true>;
    return ftz ? rounded<Op, T, kArity, true, false> : rounded<Op, T, kArity, false, false>;
}

// The table has the latency of integers: single precision multiplies as fast as it adds.
LatencyClass latency_of(const Decoder& d, Type t) {
    const LatencyClass integer = row_of(d.in->opcode).latency;
    return t == Type::f64 ? kF64 : integer == kIntegerMultiply ? kAlu : integer;
}

template <class Op, int kArity>
void arithmetic(Decoder& d) {
    const Type t = d.type();
    const bool ftz = d.has("ftz"), sat = d.has("sat");
    const int mode = rounding_of(d);
    Column s[3] = {kNone, kNone, kNone};
    for (int n = 0; n < kArity; ++n) s[n] = d.value(static_cast<std::size_t>(n + 1), t);
    Handler h;
    if (t == Type::f64)
        h = mode == FE_TONEAREST ? float_handler<Op, double, kArity>(ftz, sat)
                                 : rounded_handler<Op, double, kArity>(ftz, sat);
    else if (t == Type::f32)
        h = mode == FE_TONEAREST ? float_handler<Op, float, kArity>(ftz, sat)
                                 : rounded_handler<Op, float, kArity>(ftz, sat);
    else
        throw Unsupported{};
    d.emit(h, d.result(0, t), s[0], s[1], s[2], latency_of(d, t)).small = small_rounding(mode);
}

template <class Op>
void sign_only(Decoder& d) {
    const Type t = d.type();
    const Column a = d.value(1, t);
    d.emit(t == Type::f64 ? op1<SignOnly<Op, false>, double, double>
           : d.has("ftz") ? op1<SignOnly<Op, true>, float, float>
                          : op1<SignOnly<Op, false>, float, float>,
           d.result(0, t), a);
}

template <bool kMax>
void min_max(Decoder& d) {
    const Type t = d.type();
    const bool nan = d.has("NaN"), ftz = d.has("ftz");
    const std::size_t sources = d.operands() - 1;
    Column a = d.value(1, t);
    for (std::size_t n = 2; n <= sources; ++n) {  // three inputs on sm_100 and later
        const Column b = d.value(n, t);
        const Column to = n == sources ? d.result(0, t) : d.temporary(size_of(t));
        Handler h;
        if (t == Type::f64)
            h = nan ? float_handler<FMinMax<kMax, true>, double, 2>(false, false)
                    : float_handler<FMinMax<kMax, false>, double, 2>(false, false);
        else if (d.has("xorsign"))
            h = nan ? float_handler<FMinMaxXorSign<kMax, true>, float, 2>(ftz, false)
                    : float_handler<FMinMaxXorSign<kMax, false>, float, 2>(ftz, false);
        else
            h = nan ? float_handler<FMinMax<kMax, true>, float, 2>(ftz, false)
                    : float_handler<FMinMax<kMax, false>, float, 2>(ftz, false);
        d.emit(h, to, a, b, kNone, latency_of(d, t));
        a = to;
    }
}

void copysign(Decoder& d) {
    const Type t = d.type();
    const Column a = d.value(1, t), b = d.value(2, t);
    d.emit(t == Type::f64 ? op2<FCopySign, double, double> : op2<FCopySign, float, float>, d.result(0, t), a, b);
}

void fma(Decoder& d) {
    const Type t = d.type();
    if (t != Type::f32 && t != Type::f64) return decode_half(d);
    const bool is_minus = d.in->operands.size() == 4 && d.in->operands[1].negated;
    const bool takes_away = d.in->operands.size() == 4 && d.in->operands[3].negated;
    if (is_minus && takes_away) return arithmetic<FMinusProductMinus, 3>(d);
    if (is_minus) return arithmetic<FMinusProduct, 3>(d);
    if (takes_away) return arithmetic<FProductMinus, 3>(d);
    arithmetic<FFma, 3>(d);
}

}  // namespace

// add sub mul mad div abs neg min max of any floating type; the integer family sends them here.
void decode_float_arithmetic(Decoder& d) {
    const Type t = d.type();
    if (t != Type::f32 && t != Type::f64) return decode_half(d);
    switch (d.in->opcode) {
        case Opcode::add:
            return arithmetic<FAdd, 2>(d);
        case Opcode::sub:
            return arithmetic<FSub, 2>(d);
        case Opcode::mul:
            return arithmetic<FMul, 2>(d);
        case Opcode::mad:
            return arithmetic<FFma, 3>(d);
        case Opcode::div:
            return decode_approximate(d) ? void() : arithmetic<FDiv, 2>(d);
        case Opcode::abs:
            return sign_only<FAbs>(d);
        case Opcode::neg:
            return sign_only<FNeg>(d);
        case Opcode::min:
            return min_max<false>(d);
        case Opcode::max:
            return min_max<true>(d);
        default:
            throw Unsupported{};
    }
}

void add_float(DecodeTable& t) {
    t[Opcode::fma] = fma;
    t[Opcode::sqrt] = [](Decoder& d) { decode_approximate(d) ? void() : arithmetic<FSqrt, 1>(d); };
    t[Opcode::rcp] = [](Decoder& d) { decode_approximate(d) ? void() : arithmetic<FRcp, 1>(d); };
    t[Opcode::copysign] = copysign;
}

}  // namespace vgpu
