// Integer arithmetic: add sub mul mad sad div rem abs neg min max, carry chains, dot products.
#include <algorithm>

#include "virtual_gpu/exec/handlers/ops.h"

namespace vgpu {
namespace {

using ptx::Type;

template <class T>
using U = std::make_unsigned_t<T>;
// Wide enough that 16-bit arithmetic does not overflow an int.
template <class T>
using W = std::conditional_t<sizeof(T) <= 4, u32, u64>;

struct Add {
    template <class T>
    static T f(T a, T b) {
        return T(U<T>(a) + U<T>(b));
    }
};
struct Sub {
    template <class T>
    static T f(T a, T b) {
        return T(U<T>(a) - U<T>(b));
    }
};
struct MulLo {
    template <class T>
    static T f(T a, T b) {
        return T(W<T>(U<T>(a)) * W<T>(U<T>(b)));
    }
};
struct MulLo64 {
    static u64 f(u64 a, u64 b) { return a * b; }
};
struct MulHi {
    template <class T>
    static T f(T a, T b) {
        using Wide =
            std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                               std::conditional_t<std::is_signed_v<T>, s64, u64>>;
        return T((Wide(a) * Wide(b)) >> (8 * sizeof(T)));
    }
};
template <class D>
struct MulWide {
    template <class T>
    static D f(T a, T b) {
        return D(D(a) * D(b));
    }
};
struct MadLo {
    template <class T>
    static T f(T a, T b, T c) {
        return Add::f(MulLo::f(a, b), c);
    }
};
struct MadLo64 {
    static u64 f(u64 a, u64 b, u64 c) { return a * b + c; }
};
struct MadHi {
    template <class T>
    static T f(T a, T b, T c) {
        return Add::f(MulHi::f(a, b), c);
    }
};
struct MadHiSat {
    static s32 f(s32 a, s32 b, s32 c) { return s32(std::clamp<s64>(s64(MulHi::f(a, b)) + c, INT32_MIN, INT32_MAX)); }
};
template <class D>
struct MadWide {
    template <class T>
    static D f(T a, T b, D c) {
        return Add::f(D(D(a) * D(b)), c);
    }
};
struct AddSat {
    static s32 f(s32 a, s32 b) { return s32(std::clamp<s64>(s64(a) + b, INT32_MIN, INT32_MAX)); }
};
struct SubSat {
    static s32 f(s32 a, s32 b) { return s32(std::clamp<s64>(s64(a) - b, INT32_MIN, INT32_MAX)); }
};
template <bool kHi, bool kSigned>
struct Mul24 {
    static u32 f(u32 a, u32 b) {
        const s64 x = kSigned ? s32(a << 8) >> 8 : s64(a & 0xFFFFFF),
                  y = kSigned ? s32(b << 8) >> 8 : s64(b & 0xFFFFFF);
        return u32(u64(x * y) >> (kHi ? 16 : 0));
    }
};
template <bool kHi, bool kSigned>
struct Mad24 {
    static u32 f(u32 a, u32 b, u32 c) { return Mul24<kHi, kSigned>::f(a, b) + c; }
};
struct Mad24HiSat {
    static s32 f(s32 a, s32 b, s32 c) {
        return s32(std::clamp<s64>(s64(s32(Mul24<true, true>::f(u32(a), u32(b)))) + c, INT32_MIN, INT32_MAX));
    }
};
struct Sad {
    template <class T>
    static T f(T a, T b, T c) {
        return T(U<T>(c) + (a < b ? U<T>(b) - U<T>(a) : U<T>(a) - U<T>(b)));
    }
};
// Division by zero gives all ones, as on the hardware; the remainder is the dividend.
struct Div {
    template <class T>
    static T f(T a, T b) {
        if (b == 0) return T(-1);
        if constexpr (std::is_signed_v<T>)
            if (b == T(-1)) return T(U<T>(0) - U<T>(a));
        return T(a / b);
    }
};
struct Rem {
    template <class T>
    static T f(T a, T b) {
        if (b == 0) return a;
        if constexpr (std::is_signed_v<T>)
            if (b == T(-1)) return 0;
        return T(a % b);
    }
};
struct Abs {
    template <class T>
    static T f(T a) {
        return a < 0 ? T(U<T>(0) - U<T>(a)) : a;
    }
};
struct Neg {
    template <class T>
    static T f(T a) {
        return T(U<T>(0) - U<T>(a));
    }
};
struct Min {
    template <class T>
    static T f(T a, T b) {
        return a < b ? a : b;
    }
};
struct Max {
    template <class T>
    static T f(T a, T b) {
        return a < b ? b : a;
    }
};
struct MinRelu {
    static s32 f(s32 a, s32 b) { return std::max(0, std::min(a, b)); }
};
struct MaxRelu {
    static s32 f(s32 a, s32 b) { return std::max(0, std::max(a, b)); }
};

template <class Op>
struct Halves {  // 16x2
    template <class T>
    static u32 both(u32 a, u32 b) {
        return u32(u16(Op::f(T(a), T(b)))) | u32(u16(Op::f(T(a >> 16), T(b >> 16)))) << 16;
    }
};
template <class Op, class T>
struct Pair {
    static u32 f(u32 a, u32 b) { return Halves<Op>::template both<T>(a, b); }
};

template <class Op>
void binary(Decoder& d, Type t, Rule rule = Rule::any) {
    with_integer(t, [&](auto x) {
        using T = decltype(x);
        const Column a = d.value(1, t), b = d.value(2, t);
        d.emit(op2<Op, T, T>, d.result(0, t), a, b);
        d.passes(rule);
    });
}
template <class Op>
void ternary(Decoder& d, Type t, Rule rule = Rule::any) {
    with_integer(t, [&](auto x) {
        using T = decltype(x);
        const Column a = d.value(1, t), b = d.value(2, t), c = d.value(3, t);
        d.emit(op3<Op, T, T>, d.result(0, t), a, b, c);
        d.passes(rule);
    });
}
template <class Op>
void unary(Decoder& d, Type t) {
    with_integer(t, [&](auto x) {
        using T = decltype(x);
        const Column a = d.value(1, t);
        d.emit(op1<Op, T, T>, d.result(0, t), a);
    });
}

bool is_16x2(const Decoder& d) { return d.has("u16x2") || d.has("s16x2"); }

template <class Op>
void pair(Decoder& d) {
    const Column a = d.value(1, Type::u32), b = d.value(2, Type::u32);
    d.emit(d.has("s16x2") ? op2<Pair<Op, s16>, u32, u32> : op2<Pair<Op, u16>, u32, u32>, d.result(0, Type::u32), a, b);
    d.passes(Rule::halves);
}

// ---- carry chains: the carry of each lane is a bit of a hidden predicate, in c and d2 ----
template <class T, bool kSubtract, bool kIn, bool kOut>
const Instr* chain(const Instr* i, Warp& w, Mask m) {
    T* d = w.col<T>(i->d);
    const T *a = w.col<const T>(i->a), *b = w.col<const T>(i->b);
    Mask* cc = w.col<Mask>(i->aux);
    const Mask in = *cc;
    Mask out = 0;
    for (int l = 0; l < kLanes; ++l) {
        if ((m >> l & 1) == 0) continue;
        // A borrow is kept as carry = 0, as the hardware does: nvcc's own divisions of 128 bits read it by addc.
        const unsigned __int128 x = a[l], carry = kIn ? in >> l & 1 : kSubtract ? 1 : 0;
        const unsigned __int128 y = kSubtract ? T(~b[l]) : b[l], r = x + y + carry;
        d[l] = T(r);
        if ((r >> (8 * sizeof(T)) & 1) != 0) out |= Mask{1} << l;
    }
    if (kOut) *cc = (in & ~m) | out;
    return i + 1;
}

template <class T>
Handler chain_of(bool subtract, bool in, bool out) {
    if (subtract)
        return in ? (out ? chain<T, true, true, true> : chain<T, true, true, false>) : chain<T, true, false, true>;
    return in ? (out ? chain<T, false, true, true> : chain<T, false, true, false>) : chain<T, false, false, true>;
}

void carry_chain(Decoder& d, bool subtract, bool in, bool out, Column a, Column b, Type t) {
    const Handler h = size_of(t) == 8 ? chain_of<u64>(subtract, in, out) : chain_of<u32>(subtract, in, out);
    const Column cc = d.carry();
    d.emit(h, d.result(0, t), a, b, cc, kAlu).aux = cc;
    Passing& p = d.passes(Rule::carry);
    p.parts = out ? 2 : 1;
    p.moved = in ? 4 : 0;
}

void add(Decoder& d) {
    if (is_16x2(d)) return pair<Add>(d);
    const Type t = d.type();
    if (d.has("cc")) return carry_chain(d, false, false, true, d.value(1, t), d.value(2, t), t);
    if (d.has("sat")) {
        const Column a = d.value(1, t), b = d.value(2, t);
        d.emit(op2<AddSat, s32, s32>, d.result(0, t), a, b);
        return;
    }
    binary<Add>(d, t, Rule::upward);
}
void sub(Decoder& d) {
    const Type t = d.type();
    if (d.has("cc")) return carry_chain(d, true, false, true, d.value(1, t), d.value(2, t), t);
    if (d.has("sat")) {
        const Column a = d.value(1, t), b = d.value(2, t);
        d.emit(op2<SubSat, s32, s32>, d.result(0, t), a, b);
        return;
    }
    binary<Sub>(d, t, Rule::upward);
}
void addc(Decoder& d) {
    const Type t = d.type();
    carry_chain(d, false, true, d.has("cc"), d.value(1, t), d.value(2, t), t);
}
void subc(Decoder& d) {
    const Type t = d.type();
    carry_chain(d, true, true, d.has("cc"), d.value(1, t), d.value(2, t), t);
}

void multiply_into(Decoder& d, Column to, Column a, Column b, Type t, bool hi, bool hidden) {
    with_integer(t, [&](auto x) {
        using T = decltype(x);
        Handler h = hi ? Handler(op2<MulHi, T, T>) : Handler(op2<MulLo, T, T>);
        if (!hi && sizeof(T) == 8) h = op2<MulLo64, u64, u64>;
        d.emit(h, to, a, b).hidden = hidden;
        if (!hi) d.passes(Rule::multiply);
    });
}

Type doubled(Type t) {
    switch (t) {
        case Type::u16:
            return Type::u32;
        case Type::s16:
            return Type::s32;
        case Type::u32:
            return Type::u64;
        case Type::s32:
            return Type::s64;
        default:
            throw Unsupported{};
    }
}

void mul(Decoder& d) {
    const Type t = d.type();
    const Column a = d.value(1, t), b = d.value(2, t);
    if (!d.has("wide")) return multiply_into(d, d.result(0, t), a, b, t, d.has("hi"), false);
    const Column to = d.result(0, doubled(t));
    Handler h = nullptr;
    if (t == Type::u16) h = op2<MulWide<u32>, u32, u16>;
    if (t == Type::s16) h = op2<MulWide<s32>, s32, s16>;
    if (t == Type::u32) h = op2<MulWide<u64>, u64, u32>;
    if (t == Type::s32) h = op2<MulWide<s64>, s64, s32>;
    d.emit(h, to, a, b);
    d.passes(Rule::multiply);
}

void mad(Decoder& d) {
    const Type t = d.type();
    if (d.has("cc")) {
        const Column a = d.value(1, t), b = d.value(2, t), c = d.value(3, t), product = d.temporary(size_of(t));
        multiply_into(d, product, a, b, t, d.has("hi"), true);
        return carry_chain(d, false, false, true, product, c, t);
    }
    if (d.has("wide")) {
        const Column a = d.value(1, t), b = d.value(2, t), c = d.value(3, doubled(t)), to = d.result(0, doubled(t));
        Handler h = nullptr;
        if (t == Type::u16) h = op3<MadWide<u32>, u32, u16, u16, u32>;
        if (t == Type::s16) h = op3<MadWide<s32>, s32, s16, s16, s32>;
        if (t == Type::u32) h = op3<MadWide<u64>, u64, u32, u32, u64>;
        if (t == Type::s32) h = op3<MadWide<s64>, s64, s32, s32, s64>;
        d.emit(h, to, a, b, c);
        d.passes(Rule::multiply_add);
        return;
    }
    if (d.has("sat")) {
        const Column a = d.value(1, t), b = d.value(2, t), c = d.value(3, t);
        d.emit(op3<MadHiSat, s32, s32>, d.result(0, t), a, b, c);
        return;
    }
    if (d.has("hi")) return ternary<MadHi>(d, t);
    if (size_of(t) == 8) {
        const Column a = d.value(1, t), b = d.value(2, t), c = d.value(3, t);
        d.emit(op3<MadLo64, u64, u64>, d.result(0, t), a, b, c);
        d.passes(Rule::multiply_add);
        return;
    }
    ternary<MadLo>(d, t, Rule::multiply_add);
}

void madc(Decoder& d) {
    const Type t = d.type();
    const Column a = d.value(1, t), b = d.value(2, t), c = d.value(3, t), product = d.temporary(size_of(t));
    multiply_into(d, product, a, b, t, d.has("hi"), true);
    carry_chain(d, false, true, d.has("cc"), product, c, t);
}

void mul24(Decoder& d) {
    const Type t = d.type();
    const bool s = is_signed_type(t), hi = d.has("hi");
    const Column a = d.value(1, t), b = d.value(2, t);
    d.emit(hi ? (s ? op2<Mul24<true, true>, u32, u32> : op2<Mul24<true, false>, u32, u32>)
              : (s ? op2<Mul24<false, true>, u32, u32> : op2<Mul24<false, false>, u32, u32>),
           d.result(0, t), a, b);
}
void mad24(Decoder& d) {
    const Type t = d.type();
    const bool s = is_signed_type(t), hi = d.has("hi");
    const Column a = d.value(1, t), b = d.value(2, t), c = d.value(3, t);
    Handler h = hi ? (s ? op3<Mad24<true, true>, u32, u32> : op3<Mad24<true, false>, u32, u32>)
                   : (s ? op3<Mad24<false, true>, u32, u32> : op3<Mad24<false, false>, u32, u32>);
    if (d.has("sat")) h = op3<Mad24HiSat, s32, s32>;
    d.emit(h, d.result(0, t), a, b, c);
}

template <class Op>
void min_max(Decoder& d) {
    if (is_16x2(d)) return pair<Op>(d);
    const Type t = d.type();
    if (d.has("relu")) {
        const Column a = d.value(1, t), b = d.value(2, t);
        d.emit(std::is_same_v<Op, Min> ? op2<MinRelu, s32, s32> : op2<MaxRelu, s32, s32>, d.result(0, t), a, b);
        return;
    }
    binary<Op>(d, t);
}

void divide(Decoder& d) { binary<Div>(d, d.type()); }
void absolute(Decoder& d) { unary<Abs>(d, d.type()); }
void negate(Decoder& d) {
    unary<Neg>(d, d.type());
    d.passes(Rule::upward);
}

// ---- dot products of bytes ----
template <bool kSignedA, bool kSignedB>
struct Dp4a {
    static u32 f(u32 a, u32 b, u32 c) {
        for (int k = 0; k < 4; ++k) {
            const s32 x = kSignedA ? s32(s8(a >> 8 * k)) : s32(u8(a >> 8 * k));
            const s32 y = kSignedB ? s32(s8(b >> 8 * k)) : s32(u8(b >> 8 * k));
            c += u32(x * y);
        }
        return c;
    }
};
template <bool kSignedA, bool kSignedB, bool kHi>
struct Dp2a {
    static u32 f(u32 a, u32 b, u32 c) {
        for (int k = 0; k < 2; ++k) {
            const s32 x = kSignedA ? s32(s16(a >> 16 * k)) : s32(u16(a >> 16 * k));
            const u32 byte = b >> (8 * k + (kHi ? 16 : 0));
            const s32 y = kSignedB ? s32(s8(byte)) : s32(u8(byte));
            c += u32(x * y);
        }
        return c;
    }
};
void dot(Decoder& d) {
    const bool four = d.in->opcode == Opcode::dp4a, sa = is_signed_type(d.type(0)), sb = is_signed_type(d.type(1)),
               hi = d.has("hi");
    const Column a = d.value(1, Type::u32), b = d.value(2, Type::u32), c = d.value(3, Type::u32);
    static constexpr Handler kFour[2][2] = {{op3<Dp4a<false, false>, u32, u32>, op3<Dp4a<false, true>, u32, u32>},
                                            {op3<Dp4a<true, false>, u32, u32>, op3<Dp4a<true, true>, u32, u32>}};
    static constexpr Handler kTwo[2][2][2] = {
        {{op3<Dp2a<false, false, false>, u32, u32>, op3<Dp2a<false, false, true>, u32, u32>},
         {op3<Dp2a<false, true, false>, u32, u32>, op3<Dp2a<false, true, true>, u32, u32>}},
        {{op3<Dp2a<true, false, false>, u32, u32>, op3<Dp2a<true, false, true>, u32, u32>},
         {op3<Dp2a<true, true, false>, u32, u32>, op3<Dp2a<true, true, true>, u32, u32>}}};
    d.emit(four ? kFour[sa][sb] : kTwo[sa][sb][hi], d.result(0, Type::u32), a, b, c);
}

// ---- vabsdiff2, vabsdiff4: distances of bytes or halves, side by side or added up ----
template <class A, class B, bool kAdds>
struct AbsoluteDifferences {
    static u32 f(u32 a, u32 b, u32 c) {
        constexpr int kBits = 8 * sizeof(A);
        u32 parts = 0, sum = c;
        for (int at = 0; at < 32; at += kBits) {
            const u32 distance = u32(std::abs(s32(A(a >> at)) - s32(B(b >> at))));
            parts |= (distance & ((u32{1} << kBits) - 1)) << at;
            sum += distance;
        }
        return kAdds ? sum : parts;
    }
};
template <class Unsigned, class Signed>
void absolute_differences(Decoder& d) {
    const bool sa = is_signed_type(d.type(1)), sb = is_signed_type(d.type(2)), adds = d.has("add");
    if (d.has("sat") || d.in->operands.size() != 4) throw Unsupported{};
    const Column a = d.value(1, Type::u32), b = d.value(2, Type::u32), c = d.value(3, Type::u32);
    using U = Unsigned;
    using S = Signed;
    static constexpr Handler kHandlers[2][2][2] = {
        {{op3<AbsoluteDifferences<U, U, false>, u32, u32>, op3<AbsoluteDifferences<U, U, true>, u32, u32>},
         {op3<AbsoluteDifferences<U, S, false>, u32, u32>, op3<AbsoluteDifferences<U, S, true>, u32, u32>}},
        {{op3<AbsoluteDifferences<S, U, false>, u32, u32>, op3<AbsoluteDifferences<S, U, true>, u32, u32>},
         {op3<AbsoluteDifferences<S, S, false>, u32, u32>, op3<AbsoluteDifferences<S, S, true>, u32, u32>}}};
    d.emit(kHandlers[sa][sb][adds], d.result(0, Type::u32), a, b, c);
}

// Opcodes that floats share: the float family takes over for its types.
bool is_integer(const Decoder& d) {
    for (const auto& m : d.in->modifiers)
        if (m[0] == 'f' || m[0] == 'b')
            if (const Type t = ptx::type_named(m); t == Type::f16 || t == Type::f16x2 || t == Type::bf16 ||
                                                   t == Type::bf16x2 || t == Type::f32 || t == Type::f64)
                return false;
    return true;
}

}  // namespace

void decode_float_arithmetic(Decoder&);

namespace {
template <void (*kInteger)(Decoder&)>
void either(Decoder& d) {
    is_integer(d) ? kInteger(d) : decode_float_arithmetic(d);
}
}  // namespace

void add_integer(DecodeTable& t) {
    t[Opcode::add] = either<add>;
    t[Opcode::sub] = either<sub>;
    t[Opcode::mul] = either<mul>;
    t[Opcode::mad] = either<mad>;
    t[Opcode::div] = either<divide>;
    t[Opcode::abs] = either<absolute>;
    t[Opcode::neg] = either<negate>;
    t[Opcode::min] = either<min_max<Min>>;
    t[Opcode::max] = either<min_max<Max>>;
    t[Opcode::rem] = [](Decoder& d) { binary<Rem>(d, d.type()); };
    t[Opcode::sad] = [](Decoder& d) { ternary<Sad>(d, d.type()); };
    t[Opcode::addc] = addc;
    t[Opcode::subc] = subc;
    t[Opcode::madc] = madc;
    t[Opcode::mul24] = mul24;
    t[Opcode::mad24] = mad24;
    t[Opcode::dp4a] = dot;
    t[Opcode::dp2a] = dot;
    t[Opcode::vabsdiff2] = absolute_differences<u16, s16>;
    t[Opcode::vabsdiff4] = absolute_differences<u8, s8>;
}

}  // namespace vgpu
