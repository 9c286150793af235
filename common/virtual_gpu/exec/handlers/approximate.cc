// Approximate functions: computed in double precision, so well within the documented error.
#include "virtual_gpu/exec/handlers/float_ops.h"

namespace vgpu {
namespace {

using ptx::Type;

struct Rsqrt {
    static float f(float a) { return a == 0 ? std::copysign(INFINITY, a) : float(1.0 / std::sqrt(double(a))); }
    static double f(double a) { return a == 0 ? std::copysign(double(INFINITY), a) : 1.0 / std::sqrt(a); }
};
struct Ex2 {
    static float f(float a) { return float(std::exp2(double(a))); }
};
struct Lg2 {
    static float f(float a) { return float(std::log2(double(a))); }
};
struct Sin {
    static float f(float a) { return float(std::sin(double(a))); }
};
struct Cos {
    static float f(float a) { return float(std::cos(double(a))); }
};
struct Tanh {
    static float f(float a) { return float(std::tanh(double(a))); }
};

template <class Op, bool kFtz>
const Instr* slow1(const Instr* i, Warp& w, Mask m) {
    float* d = w.col<float>(i->d);
    const float* a = w.col<const float>(i->a);
    for (int l : lanes(m)) d[l] = Wrapped<Op, kFtz, false>::f(a[l]);
    return i + 1;
}

template <class Op>
void approximate(Decoder& d) {
    const Type t = d.type();
    if (t != Type::f32) {
        decode_half(d);
        return;
    }
    const Column a = d.value(1, t);
    d.emit(d.has("ftz") ? slow1<Op, true> : slow1<Op, false>, d.result(0, t), a, kNone, kNone, kSfu);
}

void rsqrt(Decoder& d) {
    if (d.type() == Type::f64) {
        const Column a = d.value(1, Type::f64);
        d.emit(op1<Rsqrt, double, double>, d.result(0, Type::f64), a, kNone, kNone, kSfu);
        return;
    }
    approximate<Rsqrt>(d);
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

void add_float_approximate(DecodeTable& t) {
    t["rsqrt"] = rsqrt;
    t["ex2"] = approximate<Ex2>;
    t["lg2"] = approximate<Lg2>;
    t["sin"] = approximate<Sin>;
    t["cos"] = approximate<Cos>;
    t["tanh"] = approximate<Tanh>;
    t["testp"] = decode_testp;
}

}  // namespace vgpu
