// Approximate functions, to the bit as an H200 computes them: see sfu.h.
#include "virtual_gpu/exec/handlers/float_ops.h"
#include "virtual_gpu/exec/handlers/sfu.h"

namespace vgpu {
namespace {

using ptx::Type;

float as_float(u32 x) { return std::bit_cast<float>(x); }
u32 bits(float x) { return std::bit_cast<u32>(x); }
constexpr float kSmallest = 0x1p-126f;  // of the numbers that are not subnormal

// How ptxas makes the instructions for sm_90: the unit flushes subnormal numbers, so they are scaled around it.
template <u32 (*kUnit)(u32)>
struct Plain {
    static float f(float a) { return as_float(kUnit(bits(a))); }
};
struct Rcp {
    static float f(float a) {
        const float scale = std::fabs(a) > 0x1p126f ? 0.25f : std::fabs(a) < kSmallest ? 0x1p24f : 1.0f;
        return as_float(sfu::rcp(bits(a * scale))) * scale;
    }
};
struct Rsqrt {
    static float f(float a) {
        if (std::fabs(a) < kSmallest) return as_float(sfu::rsqrt(bits(a * 0x1p24f))) * 0x1p12f;
        return as_float(sfu::rsqrt(bits(a)));
    }
};
struct Sqrt {
    static float f(float a) {
        if (std::fabs(a) < kSmallest) return as_float(sfu::sqrt(bits(a * 0x1p24f))) * 0x1p-12f;
        return as_float(sfu::sqrt(bits(a)));
    }
};
struct Ex2 {
    static float f(float a) {
        if (!(a < -126)) return as_float(sfu::ex2(bits(a)));
        const float root = as_float(sfu::ex2(bits(a * 0.5f)));
        return root * root;
    }
};
struct Lg2 {
    static float f(float a) {
        if (std::fabs(a) < kSmallest) return as_float(sfu::lg2(bits(a * 0x1p24f))) - 24;
        return as_float(sfu::lg2(bits(a)));
    }
};
// Turns: a / (2 pi), rounded towards zero.
u32 turns(float a) {
    const double exact = double(a) * double(0x1.45f306p-3f);
    const float r = float(exact);
    return bits(r) - (std::fabs(double(r)) > std::fabs(exact) ? 1 : 0);
}
template <u32 (*kUnit)(u32)>
struct OfTurns {
    static float f(float a) { return as_float(kUnit(turns(a))); }
};
struct Divide {
    static float f(float a, float b) {
        const float scale = std::fabs(b) < kSmallest ? 0x1p24f : 1.0f;
        return as_float(sfu::rcp(bits(b * scale))) * (a * scale);
    }
};
struct DivideFull {
    static float f(float a, float b) {
        const float scale = std::fabs(b) > 0x1p126f ? 0.25f : std::fabs(b) < kSmallest ? 0x1p24f : 1.0f;
        return as_float(sfu::rcp(bits(b * scale))) * (a * scale);
    }
};
template <bool kFull>
struct DivideFlushed {
    static float f(float a, float b) {
        const float scale = kFull && std::fabs(b) > 0x1p126f ? 0.25f : 1.0f;
        return flush<true>(as_float(sfu::rcp(bits(b * scale)))) * flush<true>(a * scale);
    }
};

// Of doubles: the unit knows high words only. rsqrt without .ftz goes on with one step of Halley's.
struct Rcp64 {
    static double f(double a) {
        return std::bit_cast<double>(u64(sfu::rcp64h(u32(std::bit_cast<u64>(a) >> 32))) << 32);
    }
};
struct Rsqrt64 {
    static double f(double a) {
        return std::bit_cast<double>(u64(sfu::rsqrt64h(u32(std::bit_cast<u64>(a) >> 32))) << 32);
    }
};
struct Rsqrt64Refined {
    static double refined(double a) {
        const double y = Rsqrt64::f(a), e = __builtin_fma(a, -(y * y), 1.0);
        return __builtin_fma(__builtin_fma(e, 0.375, 0.5), y * e, y);
    }
    static double f(double a) {
        if (a != a) return a + a;
        if (a == 0) return std::copysign(double(INFINITY), a);
        if (a < 0) return std::bit_cast<double>(0xFFF8'0000'0000'0000u);
        if (a == double(INFINITY)) return 0;
        return a < 0x1p-1022 ? refined(a * 0x1p54) * 0x1p27 : refined(a);
    }
};

template <class Op, bool kFtz, class T = float>
const Instr* slow1(const Instr* i, Warp& w, Mask m) {
    T* d = w.col<T>(i->d);
    const T* a = w.col<const T>(i->a);
    for (int l : lanes(m)) d[l] = Wrapped<Op, kFtz, false>::f(a[l]);
    return i + 1;
}
template <class Op, bool kFtz>
const Instr* slow2(const Instr* i, Warp& w, Mask m) {
    float* d = w.col<float>(i->d);
    const float *a = w.col<const float>(i->a), *b = w.col<const float>(i->b);
    for (int l : lanes(m)) d[l] = Wrapped<Op, kFtz, false>::f(a[l], b[l]);
    return i + 1;
}

template <class Op, class Flushed = Op>
void approximate(Decoder& d) {
    const Type t = d.type();
    if (t != Type::f32) {
        decode_half(d);
        return;
    }
    const Column a = d.value(1, t);
    d.emit(d.has("ftz") ? slow1<Flushed, true> : slow1<Op, false>, d.result(0, t), a);
}

template <class Op>
void of_double(Decoder& d) {
    const Column a = d.value(1, Type::f64);
    d.emit(slow1<Op, false, double>, d.result(0, Type::f64), a, kNone, kNone,
           d.in->opcode == Opcode::rcp ? kF64 : kSfu);
}

void rsqrt(Decoder& d) {
    if (d.type() == Type::f64) return d.has("ftz") ? of_double<Rsqrt64>(d) : of_double<Rsqrt64Refined>(d);
    approximate<Rsqrt, Plain<sfu::rsqrt>>(d);
}

template <class T>
const Instr* testp(const Instr* i, Warp& w, Mask m) {
    const T* a = w.col<const T>(i->a);
    Mask r = 0;
    for (int l : lanes(m)) {
        const int c = std::fpclassify(a[l]);
        bool yes = false;
        switch (i->small) {
            case 0:
                yes = std::isfinite(a[l]);
                break;
            case 1:
                yes = std::isinf(a[l]);
                break;
            case 2:
                yes = c != FP_NAN;
                break;
            case 3:
                yes = c == FP_NAN;
                break;
            case 4:
                yes = c == FP_NORMAL || c == FP_ZERO;
                break;  // an H200 takes 0 for a normal number
            default:
                yes = c == FP_SUBNORMAL;
                break;
        }
        r |= Mask{yes} << l;
    }
    Mask* d = w.col<Mask>(i->d);
    *d = (*d & ~m) | r;
    return i + 1;
}

void decode_testp(Decoder& d) {
    const Type t = d.type();
    const Column a = d.value(1, t);
    std::uint8_t what = 0;
    for (const char* name : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
        if (d.has(name)) break;
        ++what;
    }
    d.emit(t == Type::f64 ? testp<double> : testp<float>, d.result_predicate(d.operand(0)), a).small = what;
}

}  // namespace

// With .approx or .full; the others are exact.
bool decode_approximate(Decoder& d) {
    const bool full = d.has("full"), ftz = d.has("ftz"), wide = d.type() == Type::f64;
    if (!full && !d.has("approx")) return false;
    if (d.in->opcode == Opcode::rcp) {
        wide ? of_double<Rcp64>(d) : approximate<Rcp, Plain<sfu::rcp>>(d);
    } else if (d.in->opcode == Opcode::sqrt) {
        approximate<Sqrt, Plain<sfu::sqrt>>(d);
    } else {
        const Column a = d.value(1, Type::f32), b = d.value(2, Type::f32);
        d.emit(full ? (ftz ? slow2<DivideFlushed<true>, true> : slow2<DivideFull, false>)
                    : (ftz ? slow2<DivideFlushed<false>, true> : slow2<Divide, false>),
               d.result(0, Type::f32), a, b);
    }
    return true;
}

void add_float_approximate(DecodeTable& t) {
    t[Opcode::rsqrt] = rsqrt;
    t[Opcode::ex2] = approximate<Ex2, Plain<sfu::ex2>>;
    t[Opcode::lg2] = approximate<Lg2, Plain<sfu::lg2>>;
    t[Opcode::sin] = approximate<OfTurns<sfu::sin>>;
    t[Opcode::cos] = approximate<OfTurns<sfu::cos>>;
    t[Opcode::tanh] = approximate<Plain<sfu::tanh>>;
    t[Opcode::testp] = decode_testp;
}

}  // namespace vgpu
