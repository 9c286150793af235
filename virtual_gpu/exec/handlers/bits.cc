// Logic and bit fields: and or xor not cnot shl shr shf lop3 prmt bfe bfi bfind brev clz popc fns bmsk szext.
#include <algorithm>
#include <bit>

#include "virtual_gpu/exec/handlers/ops.h"

namespace vgpu {
namespace {

using ptx::Type;

struct And {
    static constexpr Rule kRule = Rule::bit_and;
    template <class T>
    static T f(T a, T b) {
        return T(a & b);
    }
};
struct Or {
    static constexpr Rule kRule = Rule::bit_or;
    template <class T>
    static T f(T a, T b) {
        return T(a | b);
    }
};
struct Xor {
    static constexpr Rule kRule = Rule::bit_xor;
    template <class T>
    static T f(T a, T b) {
        return T(a ^ b);
    }
};
struct Not {
    static constexpr Rule kRule = Rule::bit_xor;
    template <class T>
    static T f(T a) {
        return T(~a);
    }
};
struct Cnot {
    static constexpr Rule kRule = Rule::any;
    template <class T>
    static T f(T a) {
        return a == 0;
    }
};
struct Shl {
    template <class T>
    static T f(T a, u32 b) {
        return b >= 8 * sizeof(T) ? T(0) : T(a << b);
    }
};
struct Shr {
    template <class T>
    static T f(T a, u32 b) {
        if constexpr (std::is_signed_v<T>)
            return T(a >> (b >= 8 * sizeof(T) ? 8 * sizeof(T) - 1 : b));
        else
            return b >= 8 * sizeof(T) ? T(0) : T(a >> b);
    }
};
template <bool kLeft, bool kWrap>
struct Shf {
    static u32 f(u32 a, u32 b, u32 c) {
        const u32 n = kWrap ? c & 31 : (c > 32 ? 32 : c);
        const u64 both = u64(b) << 32 | a;
        return kLeft ? u32((both << n) >> 32) : u32(both >> n);
    }
};

struct Popc32 {
    static u32 f(u32 a) { return u32(std::popcount(a)); }
};
struct Popc64 {
    static u32 f(u64 a) { return u32(std::popcount(a)); }
};
struct Clz32 {
    static u32 f(u32 a) { return u32(std::countl_zero(a)); }
};
struct Clz64 {
    static u32 f(u64 a) { return u32(std::countl_zero(a)); }
};
struct Brev {
    template <class T>
    static T f(T a) {
        T r = 0;
        for (unsigned k = 0; k < 8 * sizeof(T); ++k) r = T(r << 1 | (a >> k & 1));
        return r;
    }
};
template <bool kShift>
struct Bfind {
    template <class T>
    static u32 f(T a) {
        using U = std::make_unsigned_t<T>;
        U u = U(a);
        if (std::is_signed_v<T> && a < 0) u = U(~u);
        if (u == 0) return ~u32{0};
        const u32 at = u32(8 * sizeof(T) - 1 - unsigned(std::countl_zero(u)));
        return kShift ? u32(8 * sizeof(T) - 1) - at : at;
    }
};
struct Bfe {
    template <class T>
    static T f(T a, u32 b, u32 c) {
        constexpr u32 top = 8 * sizeof(T) - 1;
        using U = std::make_unsigned_t<T>;
        // As an H200 does it: 32-bit fields look at the low 8 bits of place and length, 64-bit ones at all.
        const u32 pos = sizeof(T) == 8 ? std::min(b, 255u) : b & 0xFF,
                  len = sizeof(T) == 8 ? std::min(c, 255u) : c & 0xFF;
        if (len == 0) return 0;
        const bool negative = std::is_signed_v<T> && (U(a) >> (pos + len - 1 < top ? pos + len - 1 : top) & 1) != 0;
        U r = pos > top ? U(0) : U(U(a) >> pos);
        if (len <= top) r &= U((U(1) << len) - 1);
        if (!negative) return T(r);
        // Bits of the field past the top of `a` are the sign, too.
        const u32 have = pos > top ? 0 : (top + 1 - pos < len ? top + 1 - pos : len);
        return have > top ? T(r) : T(r | U(~U(0) << have));
    }
};
struct Bfi {
    template <class T>
    static T f(T a, T b, u32 c, u32 d) {
        constexpr u32 bits = 8 * sizeof(T);
        const u32 pos = sizeof(T) == 8 ? std::min(c, 255u) : c & 0xFF,
                  len = sizeof(T) == 8 ? std::min(d, 255u) : d & 0xFF;
        if (pos >= bits || len == 0) return b;
        const T field = T((len >= bits ? ~T(0) : T((T(1) << len) - 1)) << pos);
        return T((b & ~field) | (T(a << pos) & field));
    }
};
template <bool kWrap>
struct Bmsk {
    static u32 f(u32 a, u32 b) {
        if (!kWrap && a >= 32) return 0;
        const u32 pos = a & 31, width = kWrap ? b & 31 : (b > 32 ? 32 : b);
        const u64 field = ((u64(1) << width) - 1) << pos;
        return u32(field);
    }
};
template <bool kWrap>
struct SzextU {
    static u32 f(u32 a, u32 b) {
        const u32 n = kWrap ? b & 31 : b;
        return n >= 32 ? a : a & ((u32(1) << n) - 1);
    }
};
template <bool kWrap>
struct SzextS {
    static s32 f(s32 a, u32 b) {
        const u32 n = kWrap ? b & 31 : b;
        if (n == 0) return 0;
        return n >= 32 ? a : s32(u32(a) << (32 - n)) >> (32 - n);
    }
};
struct Fns {
    static u32 f(u32 mask, u32 base, s32 offset) {
        if (base > 31) return ~u32{0};
        if (offset == 0) return (mask >> base & 1) != 0 ? base : ~u32{0};
        const int step = offset > 0 ? 1 : -1;
        u32 left = offset > 0 ? u32(offset) : u32(-s64(offset));
        for (int at = int(base); at >= 0 && at < 32; at += step)
            if ((mask >> at & 1) != 0 && --left == 0) return u32(at);
        return ~u32{0};
    }
};
struct Prmt {
    static u32 f(u32 a, u32 b, u32 c) {
        const u64 both = u64(b) << 32 | a;
        u32 r = 0;
        for (int k = 0; k < 4; ++k) {
            const u32 s = c >> 4 * k & 15;
            u32 byte = u32(both >> 8 * (s & 7)) & 0xFF;
            if ((s & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
            r |= byte << 8 * k;
        }
        return r;
    }
};
u32 pick(u32 a, u32 b, const int (&from)[4]) {
    const u64 both = u64(b) << 32 | a;
    u32 r = 0;
    for (int k = 0; k < 4; ++k) r |= u32(both >> 8 * from[k] & 0xFF) << 8 * k;
    return r;
}
struct PrmtF4e {
    static u32 f(u32 a, u32 b, u32 c) {
        const int n = c & 3;
        return pick(a, b, {n, n + 1, n + 2, n + 3});
    }
};
struct PrmtB4e {
    static u32 f(u32 a, u32 b, u32 c) {
        const int n = c & 3;
        return pick(a, b, {n, (n + 7) & 7, (n + 6) & 7, (n + 5) & 7});
    }
};
struct PrmtRc8 {
    static u32 f(u32 a, u32 b, u32 c) {
        const int n = c & 3;
        return pick(a, b, {n, n, n, n});
    }
};
struct PrmtEcl {
    static u32 f(u32 a, u32 b, u32 c) {
        const int n = c & 3;
        return pick(a, b, {n > 0 ? n : 0, n > 1 ? n : 1, n > 2 ? n : 2, 3});
    }
};
struct PrmtEcr {
    static u32 f(u32 a, u32 b, u32 c) {
        const int n = c & 3;
        return pick(a, b, {0, n < 1 ? n : 1, n < 2 ? n : 2, n < 3 ? n : 3});
    }
};
struct PrmtRc16 {
    static u32 f(u32 a, u32 b, u32 c) {
        const int n = (c & 1) * 2;
        return pick(a, b, {n, n + 1, n, n + 1});
    }
};

const Instr* lop3(const Instr* i, Warp& w, Mask m) {
    u32* d = w.col<u32>(i->d);
    const u32 *a = w.col<const u32>(i->a), *b = w.col<const u32>(i->b), *c = w.col<const u32>(i->c);
    // The table's bits as masks; the sum of eight minterms.
    u32 t[8];
    for (int k = 0; k < 8; ++k) t[k] = (i->imm >> k & 1) != 0 ? ~u32{0} : 0;
    VGPU_LANES {
        const u32 x = a[l], y = b[l], z = c[l];
        const u32 low = (~y & ((~z & t[0]) | (z & t[1]))) | (y & ((~z & t[2]) | (z & t[3])));
        const u32 high = (~y & ((~z & t[4]) | (z & t[5]))) | (y & ((~z & t[6]) | (z & t[7])));
        const u32 r = (~x & low) | (x & high);
        d[l] = (m >> l & 1) != 0 ? r : d[l];
    }
    return i + 1;
}

// On predicates, which are masks.
template <class Op>
const Instr* predicate2(const Instr* i, Warp& w, Mask m) {
    Mask* d = w.col<Mask>(i->d);
    *d = (*d & ~m) | (Op::f(w.predicate(i->a), w.predicate(i->b)) & m);
    return i + 1;
}
const Instr* predicate_not(const Instr* i, Warp& w, Mask m) {
    Mask* d = w.col<Mask>(i->d);
    *d = (*d & ~m) | (~w.predicate(i->a) & m);
    return i + 1;
}

template <class Op>
void logic(Decoder& d) {
    const Type t = d.type();
    if (t == Type::pred) {
        const Column a = d.predicate(d.operand(1)), b = d.predicate(d.operand(2));
        d.emit(predicate2<Op>, d.result_predicate(d.operand(0)), a, b);
        d.passes(Op::kRule);
        return;
    }
    with_integer(t, [&](auto x) {
        using T = decltype(x);
        const Column a = d.value(1, t), b = d.value(2, t);
        d.emit(op2<Op, T, T>, d.result(0, t), a, b);
        d.passes(Op::kRule);
    });
}
template <class Op>
void one(Decoder& d) {
    const Type t = d.type();
    if (t == Type::pred) {
        const Column a = d.predicate(d.operand(1));
        d.emit(predicate_not, d.result_predicate(d.operand(0)), a);
        d.passes(Rule::bit_xor);
        return;
    }
    with_integer(t, [&](auto x) {
        using T = decltype(x);
        const Column a = d.value(1, t);
        d.emit(op1<Op, T, T>, d.result(0, t), a);
        d.passes(Op::kRule);
    });
}
template <class Op>
void shift(Decoder& d) {
    const Type t = d.type();
    with_integer(t, [&](auto x) {
        using T = decltype(x);
        const Column a = d.value(1, t), b = d.value(2, Type::u32);
        d.emit(op2<Op, T, T, u32>, d.result(0, t), a, b);
        d.passes(Rule::moves);
    });
}
template <class Op32, class Op64>
void counts(Decoder& d) {
    const bool wide = size_of(d.type()) == 8;
    const Column a = d.value(1, d.type());
    d.emit(wide ? op1<Op64, u32, u64> : op1<Op32, u32, u32>, d.result(0, Type::u32), a);
}
template <bool kShift>
void bfind_as(Decoder& d) {
    const Type t = d.type();
    with_integer(t, [&](auto x) {
        using T = decltype(x);
        const Column a = d.value(1, t);
        d.emit(op1<Bfind<kShift>, u32, T>, d.result(0, Type::u32), a);
    });
}

void brev(Decoder& d) {
    const Type t = d.type();
    const Column a = d.value(1, t);
    d.emit(size_of(t) == 8 ? op1<Brev, u64, u64> : op1<Brev, u32, u32>, d.result(0, t), a);
    d.passes(Rule::moves);
}
void bfe(Decoder& d) {
    const Type t = d.type();
    with_integer(t, [&](auto x) {
        using T = decltype(x);
        const Column a = d.value(1, t), b = d.value(2, Type::u32), c = d.value(3, Type::u32);
        d.emit(op3<Bfe, T, T, u32, u32>, d.result(0, t), a, b, c);
        d.passes(Rule::moves);
    });
}
void bfi(Decoder& d) {
    const Type t = d.type();
    const Column a = d.value(1, t), b = d.value(2, t), c = d.value(3, Type::u32), e = d.value(4, Type::u32);
    d.emit(size_of(t) == 8 ? op4<Bfi, u64, u64, u64, u32, u32> : op4<Bfi, u32, u32, u32, u32, u32>, d.result(0, t), a,
           b, c)
        .aux = e;
    Passing& p = d.passes(Rule::moves);
    p.moved = 3;
    p.more = 4;
}
void shf(Decoder& d) {
    const bool left = d.has("l"), wrap = d.has("wrap");
    const Column a = d.value(1, Type::u32), b = d.value(2, Type::u32), c = d.value(3, Type::u32);
    d.emit(left ? (wrap ? op3<Shf<true, true>, u32, u32> : op3<Shf<true, false>, u32, u32>)
                : (wrap ? op3<Shf<false, true>, u32, u32> : op3<Shf<false, false>, u32, u32>),
           d.result(0, Type::u32), a, b, c);
    d.passes(Rule::moves).moved = 3;
}
void decode_lop3(Decoder& d) {
    if (d.has("and") || d.has("or") || d.operand(4).kind != ptx::Operand::Kind::imm) throw Unsupported{};
    const Column a = d.value(1, Type::u32), b = d.value(2, Type::u32), c = d.value(3, Type::u32);
    d.emit(lop3, d.result(0, Type::u32), a, b, c).imm = static_cast<s64>(d.operand(4).bits);
    d.passes(Rule::lop3);
}
void prmt(Decoder& d) {
    const Column a = d.value(1, Type::u32), b = d.value(2, Type::u32), c = d.value(3, Type::u32);
    Handler h = op3<Prmt, u32, u32>;
    if (d.has("f4e")) h = op3<PrmtF4e, u32, u32>;
    if (d.has("b4e")) h = op3<PrmtB4e, u32, u32>;
    if (d.has("rc8")) h = op3<PrmtRc8, u32, u32>;
    if (d.has("ecl")) h = op3<PrmtEcl, u32, u32>;
    if (d.has("ecr")) h = op3<PrmtEcr, u32, u32>;
    if (d.has("rc16")) h = op3<PrmtRc16, u32, u32>;
    d.emit(h, d.result(0, Type::u32), a, b, c);
    d.passes(Rule::moves).moved = 3;
}
void bmsk(Decoder& d) {
    const Column a = d.value(1, Type::u32), b = d.value(2, Type::u32);
    d.emit(d.has("wrap") ? op2<Bmsk<true>, u32, u32> : op2<Bmsk<false>, u32, u32>, d.result(0, Type::u32), a, b);
}
void szext(Decoder& d) {
    const bool wrap = d.has("wrap"), sign = is_signed_type(d.type());
    const Column a = d.value(1, Type::u32), b = d.value(2, Type::u32);
    d.emit(sign ? (wrap ? op2<SzextS<true>, s32, s32, u32> : op2<SzextS<false>, s32, s32, u32>)
                : (wrap ? op2<SzextU<true>, u32, u32> : op2<SzextU<false>, u32, u32>),
           d.result(0, Type::u32), a, b);
    d.passes(Rule::moves);
}
void fns(Decoder& d) {
    const Column a = d.value(1, Type::u32), b = d.value(2, Type::u32), c = d.value(3, Type::s32);
    d.emit(op3<Fns, u32, u32, u32, s32>, d.result(0, Type::u32), a, b, c);
}

}  // namespace

Handler not_predicate_handler() { return predicate_not; }

void add_bits(DecodeTable& t) {
    t[Opcode::and_] = logic<And>;
    t[Opcode::or_] = logic<Or>;
    t[Opcode::xor_] = logic<Xor>;
    t[Opcode::not_] = one<Not>;
    t[Opcode::cnot] = one<Cnot>;
    t[Opcode::shl] = shift<Shl>;
    t[Opcode::shr] = shift<Shr>;
    t[Opcode::shf] = shf;
    t[Opcode::lop3] = decode_lop3;
    t[Opcode::prmt] = prmt;
    t[Opcode::popc] = counts<Popc32, Popc64>;
    t[Opcode::clz] = counts<Clz32, Clz64>;
    t[Opcode::brev] = brev;
    t[Opcode::bfe] = bfe;
    t[Opcode::bfi] = bfi;
    t[Opcode::bfind] = [](Decoder& d) { d.has("shiftamt") ? bfind_as<true>(d) : bfind_as<false>(d); };
    t[Opcode::bmsk] = bmsk;
    t[Opcode::szext] = szext;
    t[Opcode::fns] = fns;
}

}  // namespace vgpu
