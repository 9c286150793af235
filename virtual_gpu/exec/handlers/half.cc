// Half precision and bfloat16, single and in pairs. Computed in double precision and rounded once.
#include <cstring>

#include "virtual_gpu/exec/handlers/float_ops.h"
#include "virtual_gpu/exec/handlers/sfu.h"

namespace vgpu {

float half_to_float(u16 h) {
    const u32 sign = u32(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3FF;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7F80'0000u | fraction << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float tiny = float(fraction) * 0x1p-24f;
    return sign != 0 ? -tiny : tiny;
}

namespace {

// Rounds |x| to `digits` bits of fraction with exponents from `lowest` on; overflow is up to the caller.
double round_to(double x, int digits, int lowest, int mode) {
    if (x == 0 || !std::isfinite(x)) return x;
    int e;
    std::frexp(x, &e);
    const int unit = std::max(e - 1, lowest) - digits;
    const double scaled = std::ldexp(x, -unit);
    double r = std::floor(scaled);
    const double rest = scaled - r;
    switch (mode) {
        case FE_TONEAREST:
            if (rest > 0.5 || (rest == 0.5 && std::fmod(r, 2.0) != 0)) r += 1;
            break;
        case FE_UPWARD:
            if (rest > 0) r += 1;
            break;
        case FE_TOWARDZERO:
            if (rest > 0 && x < 0) r += 1;
            break;
        default:
            break;
    }
    return r == 0 ? std::copysign(0.0, x) : std::ldexp(r, unit);
}

}  // namespace

u16 double_to_half(double x, int mode) {
    if (x != x) return 0x7FFF;
    const u16 sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isinf(x)) return sign | 0x7C00;
    const double r = std::fabs(round_to(x, 10, -14, mode));
    if (r > 65504) {
        const bool to_max =
            mode == FE_TOWARDZERO || (mode == FE_DOWNWARD && sign == 0) || (mode == FE_UPWARD && sign != 0);
        return sign | (to_max ? 0x7BFF : 0x7C00);
    }
    if (r < 0x1p-14) return u16(sign | u16(r * 0x1p24));
    int e;
    const double f = std::frexp(r, &e);  // in [0.5, 1)
    return u16(sign | (e + 14) << 10 | (u16(f * 2048) & 0x3FF));
}
u16 float_to_half(float x) { return double_to_half(double(x), FE_TONEAREST); }

float bfloat_to_float(u16 b) { return std::bit_cast<float>(u32(b) << 16); }

u16 float_to_bfloat(float x, int mode) {
    if (x != x) return 0x7FFF;
    const u32 b = std::bit_cast<u32>(x);
    u32 high = b >> 16;
    const u32 rest = b & 0xFFFF;
    if ((b & 0x7F80'0000u) == 0x7F80'0000u) return u16(high);
    const bool negative = (b >> 31) != 0;
    if (mode == FE_TONEAREST  ? rest > 0x8000 || (rest == 0x8000 && (high & 1) != 0)
        : mode == FE_UPWARD   ? rest != 0 && !negative
        : mode == FE_DOWNWARD ? rest != 0 && negative
                              : false)
        ++high;
    return u16(high);
}

u16 double_to_bfloat(double x, int mode) {
    // Round to odd first, so that rounding twice is rounding once.
    float f = float(x);
    if (std::isfinite(x) && double(f) != x) {
        u32 b = std::bit_cast<u32>(f);
        if (std::fabs(double(f)) > std::fabs(x)) --b;
        f = std::bit_cast<float>(b | 1);
    }
    return float_to_bfloat(f, mode);
}

namespace {

using ptx::Type;

struct Half {
    static double get(u16 x) { return double(half_to_float(x)); }
    static u16 put(double x) { return double_to_half(x, FE_TONEAREST); }
    static u16 cut(float x) { return x >= 65536 ? 0x7C00 : double_to_half(double(x), FE_TOWARDZERO); }
    static constexpr u16 kSmallestNormal = 0x0400;
};
struct Bfloat {
    static double get(u16 x) { return double(bfloat_to_float(x)); }
    static u16 put(double x) { return double_to_bfloat(x, FE_TONEAREST); }
    static u16 cut(float x) { return float_to_bfloat(x, FE_TOWARDZERO); }
    static constexpr u16 kSmallestNormal = 0x0080;
};

// The sum rounded to odd: rounding it once more to fewer digits is then right.
double odd_sum(double a, double b) {
    const double s = a + b;
    if (!std::isfinite(s)) return s;
    const double shift = s - a, rest = (a - (s - shift)) + (b - shift);
    if (rest == 0) return s;
    std::uint64_t bits = std::bit_cast<std::uint64_t>(s);
    if ((rest > 0) != (s > 0)) --bits;  // towards zero
    return std::bit_cast<double>(bits | 1);
}

enum Op : std::uint8_t {
    kAdd,
    kSub,
    kMul,
    kFma,
    kMin,
    kMax,
    kAbs,
    kNegate,
    kEx2,
    kTanh,
    kFmaRelu,
    kSin,
    kCos,
    kLg2,
    kRsqrt,
    kDivideHalf
};
enum Flag : unsigned { kFlagFtz = 1, kFlagSat = 2, kFlagNan = 4, kFlagPair = 8, kFlagRelu = 16 };

template <class F>
u16 compute(Op op, unsigned flags, u16 xa, u16 xb, u16 xc) {
    const auto flushed = [&](u16 x) {
        return (flags & kFlagFtz) != 0 && (x & 0x7FFF) < F::kSmallestNormal ? u16(x & 0x8000) : x;
    };
    const u16 fa = flushed(xa), fb = flushed(xb), fc = flushed(xc);
    const double a = F::get(fa), b = F::get(fb), c = F::get(fc);
    if (op == kAbs || op == kNegate) return a != a ? 0x7FFF : op == kAbs ? fa & 0x7FFF : fa ^ 0x8000;
    double r = 0;
    switch (op) {
        case kAdd:
            r = odd_sum(a, b);
            break;
        case kSub:
            r = odd_sum(a, -b);
            break;
        case kMul:
            r = a * b;
            break;
        case kFma:
        case kFmaRelu:
            r = odd_sum(a * b, c);
            break;  // the product is exact
        case kMin:
        case kMax: {
            const bool nan_a = a != a, nan_b = b != b;
            if (nan_a || nan_b) {
                if ((nan_a && nan_b) || (flags & kFlagNan) != 0) return 0x7FFF;
                return nan_a ? fb : fa;
            }
            if (a == b) return op == kMax ? fa & fb : fa | fb;
            return (a < b) == (op == kMin) ? fa : fb;
        }
        case kEx2:
            return F::cut(std::bit_cast<float>(sfu::ex2(std::bit_cast<u32>(float(a)))));
        case kTanh:
            r = std::tanh(a);
            break;
        case kSin:
            r = std::sin(a);
            break;
        case kCos:
            r = std::cos(a);
            break;
        case kLg2:
            r = std::log2(a);
            break;
        case kRsqrt:
            r = 1 / std::sqrt(a);
            break;
        case kDivideHalf:
            r = a / b;
            break;
        default:
            break;
    }
    if ((flags & kFlagSat) != 0) r = saturate<true>(r);
    if ((flags & kFlagRelu) != 0 && !(r != r)) r = r > 0 ? r : 0;
    return flushed(F::put(r));
}

template <class F>
const Instr* half_handler(const Instr* i, Warp& w, Mask m) {
    const Op op = static_cast<Op>(i->small);
    const unsigned flags = i->aux;
    if ((flags & kFlagPair) != 0) {
        u32* d = w.col<u32>(i->d);
        const u32 *a = w.col<const u32>(i->a), *b = w.col<const u32>(i->b), *c = w.col<const u32>(i->c);
        for (int l : lanes(m))
            d[l] = u32(compute<F>(op, flags, u16(a[l]), u16(b[l]), u16(c[l]))) |
                   u32(compute<F>(op, flags, u16(a[l] >> 16), u16(b[l] >> 16), u16(c[l] >> 16))) << 16;
        return i + 1;
    }
    u16* d = w.col<u16>(i->d);
    const u16 *a = w.col<const u16>(i->a), *b = w.col<const u16>(i->b), *c = w.col<const u16>(i->c);
    for (int l : lanes(m)) d[l] = compute<F>(op, flags, a[l], b[l], c[l]);
    return i + 1;
}

}  // namespace

void decode_half(Decoder& d) {
    const Type t = d.type();
    static const std::map<Opcode, std::pair<Op, int>> kOps = {
        {Opcode::add, {kAdd, 2}},    {Opcode::sub, {kSub, 2}}, {Opcode::mul, {kMul, 2}},  {Opcode::fma, {kFma, 3}},
        {Opcode::mad, {kFma, 3}},    {Opcode::min, {kMin, 2}}, {Opcode::max, {kMax, 2}},  {Opcode::abs, {kAbs, 1}},
        {Opcode::neg, {kNegate, 1}}, {Opcode::ex2, {kEx2, 1}}, {Opcode::tanh, {kTanh, 1}}};
    const bool half = t == Type::f16 || t == Type::f16x2, pair = t == Type::f16x2 || t == Type::bf16x2;
    const auto found = kOps.find(d.in->opcode);
    if (found == kOps.end() || (!half && t != Type::bf16 && !pair) || d.has("xorsign") || d.has("oob"))
        throw Unsupported{};
    const auto [op, arity] = found->second;
    Column s[3] = {kNone, kNone, kNone};
    const Type raw = pair ? Type::b32 : Type::b16;
    for (int n = 0; n < arity; ++n) {
        const ptx::Operand& o = d.operand(static_cast<std::size_t>(n + 1));
        if (o.kind == ptx::Operand::Kind::imm && o.is_float) throw Unsupported{};
        s[n] = d.value(o, raw);
    }
    Instr& i = d.emit(half ? half_handler<Half> : half_handler<Bfloat>, d.result(0, raw), s[0], s[1], s[2], kAlu);
    i.small = op;
    for (const auto& [flag, name] :
         {std::pair{kFlagFtz, "ftz"}, {kFlagSat, "sat"}, {kFlagNan, "NaN"}, {kFlagRelu, "relu"}})
        if (d.has(name)) i.aux |= flag;
    if (pair) i.aux |= kFlagPair;
    if (pair) d.passes(Rule::halves);
}

}  // namespace vgpu
