// The special function unit, by quadratic interpolation in fixed point: a table holds a function's value, slope and
// curvature for each segment of its argument, and the result is value + slope * x + curvature * x^2. (Oberman and Siu,
// "A high-performance area-efficient multifunction interpolator", ARITH 2005; the truncation of the square follows
// envytools' model of older GPUs.) The tables were fitted to an H200, whose results they give exactly.
#include "virtual_gpu/exec/handlers/sfu.h"

#include <bit>
#include <cmath>

namespace vgpu::sfu {
namespace {

struct Segment {
    s32 value, slope, curve;
};
#include "virtual_gpu/exec/handlers/sfu_tables.inc"

constexpr u32 kOne = 1u << 23, kFraction = kOne - 1, kNan = 0x7FFF'FFFF, kInfinity = 0x7F80'0000;
constexpr int kBias = 127;

u32 sign_of(u32 x) { return x & 0x8000'0000; }
int exponent_of(u32 x) { return int(x >> 23 & 0xFF); }  // with its bias
bool is_zero(u32 x) { return exponent_of(x) == 0; }     // subnormal numbers, too
bool is_nan(u32 x) { return (x & 0x7FFF'FFFF) > kInfinity; }
bool is_infinite(u32 x) { return (x & 0x7FFF'FFFF) == kInfinity; }

// x^2 / 2^19 of 17 bits; each partial product is cut off.
s64 square(u32 x) {
    u32 sum = 0;
    for (unsigned k = 0; k < 17; ++k) sum += (x >> k & 1) != 0 ? x >> (18 - k) : 0;
    return s64(sum >> 1);
}

// A result with an exponent (biased) and 24 bits from 2^23 to 2^24.
u32 packed(u32 sign, int exponent, s64 digits) {
    if (digits >= 2 * s64(kOne)) digits = kOne, ++exponent;
    if (exponent <= 0) return sign;
    if (exponent >= 255) return sign | kInfinity;
    return sign | u32(exponent) << 23 | (u32(digits) & kFraction);
}

u32 packed_fixed(u32 sign, u64 value, int one) {  // value / 2^one, cut off
    if (value == 0) return sign;
    const int top = 63 - std::countl_zero(value);
    const u64 digits = top >= 23 ? value >> (top - 23) : value << (23 - top);
    return packed(sign, kBias + top - one, s64(digits));
}

u32 sine(u32 sign, u32 quadrant, u32 fraction) {  // of a quarter turn
    if ((quadrant & 1) != 0) fraction = ~fraction & kFraction;
    sign ^= (quadrant & 2) << 30;
    const Segment& s = kSin[fraction >> 17];
    const u32 x = fraction & 0x1'FFFF;
    const s64 r = (s64(s.value) << 11) + s64(s.slope) * x + s64(s.curve) * square(x);
    return packed_fixed(sign, r < 0 ? 0 : u64(r), 37);
}

// The size of a number in 1 / 2^23, cut off.
u32 fixed_point(u32 a, int exponent) {
    const u32 digits = (a & kFraction) | kOne;
    if (is_zero(a) || exponent < -23 || exponent > 31) return 0;
    return exponent >= 0 ? digits << exponent : digits >> -exponent;
}
u32 quarters(u32 turns) { return fixed_point(turns, exponent_of(turns) - kBias + 2); }

}  // namespace

u32 rcp(u32 a) {
    if (is_nan(a)) return kNan;
    if (is_zero(a)) return sign_of(a) | kInfinity;
    if (is_infinite(a)) return sign_of(a);
    const Segment& s = kRcp[a >> 16 & 0x7F];
    const u32 x = a & 0xFFFF;
    const s64 r = (s64(s.value) << 13) + s64(s.slope) * x + s64(s.curve) * square(x << 1) + 0x47E7;
    return packed(sign_of(a), 2 * kBias - 1 - exponent_of(a), r >> 15);
}

u32 rsqrt(u32 a) {
    if (is_nan(a)) return kNan;
    if (is_zero(a)) return sign_of(a) | kInfinity;
    if (sign_of(a) != 0) return kNan;
    if (is_infinite(a)) return 0;
    const int e = exponent_of(a) - kBias;
    const u32 fraction = (a & kFraction) | u32(e & 1) << 23;
    if (fraction == 0) return u32(kBias - (e >> 1)) << 23;
    const Segment& s = kRsqrt[fraction >> 17];
    const u32 x = fraction & 0x1'FFFF;
    const s64 r = (s64(s.value) << 14) + s64(s.slope) * x + s64(s.curve) * square(x) * 4 + 0x7FFF;
    return packed(0, kBias - 1 - (e >> 1), r >> 16);
}

u32 sqrt(u32 a) {
    if (is_nan(a)) return kNan;
    if (is_zero(a)) return sign_of(a);
    if (sign_of(a) != 0) return kNan;
    if (is_infinite(a)) return kInfinity;
    const int e = exponent_of(a) - kBias, more = (e & 1) == 0 ? 1 : 0;  // [1, 2) has a bit more
    const Segment& s = kSqrt[(a >> 17 & 0x3F) | u32(e & 1) << 6];
    const u32 x = a & 0x1'FFFF;
    const s64 r =
        (s64(s.value) << (14 + more)) + s64(s.slope) * x + (s64(s.curve) * square(x) << more) + (0x8000 << more) - 1;
    return packed(0, kBias + (e >> 1), r >> (16 + more));
}

u32 ex2(u32 a) {
    if (is_nan(a)) return kNan;
    const bool negative = sign_of(a) != 0;
    const int exponent = exponent_of(a) - kBias;
    if (exponent >= 8) return negative ? 0 : kInfinity;
    s64 fixed = fixed_point(a, exponent);
    if (negative) fixed = (fixed & kFraction) != 0 ? ~fixed : -fixed;  // the unit complements the fraction
    const Segment& s = kEx2[fixed >> 17 & 0x3F];
    const u32 x = u32(fixed) & 0x1'FFFF;
    const s64 r = (s64(s.value) << 13) + s64(s.slope) * x + s64(s.curve) * square(x) + 0x77E2;
    return packed(0, kBias + int(fixed >> 23), r >> 15);
}

u32 lg2(u32 a) {
    if (is_nan(a)) return kNan;
    if (is_zero(a)) return 0x8000'0000 | kInfinity;
    if (sign_of(a) != 0) return kNan;
    if (is_infinite(a)) return kInfinity;
    if (a == u32(kBias) << 23) return 0;
    const Segment& s = kLg2[a >> 17 & 0x3F];
    const u32 x = a & 0x1'FFFF;
    s64 r = (s64(s.value) << 12) + s64(s.slope) * x + s64(s.curve) * square(x) * 2 + 0x3345;
    r = (r >> 2) + (s64(exponent_of(a) - kBias) << 36);
    return r < 0 ? packed_fixed(0x8000'0000, u64(~r), 36) : packed_fixed(0, u64(r), 36);
}

u32 sin(u32 turns) {
    if (is_nan(turns) || is_infinite(turns)) return kNan;
    const u32 q = quarters(turns);
    return sine(sign_of(turns), q >> 23, q & kFraction);
}

u32 cos(u32 turns) {
    if (is_nan(turns) || is_infinite(turns)) return kNan;
    const u32 q = quarters(turns);
    return sine(0, (q >> 23) + 1, q & kFraction);
}

// Not fitted yet.
u32 tanh(u32 a) { return std::bit_cast<u32>(float(std::tanh(double(std::bit_cast<float>(a))))); }
// The same tables; of the result, a double's high word has 20 bits after the point.
namespace {
constexpr u32 kOne64 = 1u << 20, kInfinity64 = 0x7FF0'0000, kNan64 = 0x7FFF'FFFF;
constexpr int kBias64 = 1023;

u32 packed64(u32 sign, int exponent, s64 digits) {
    if (digits >= 2 * s64(kOne64)) digits = kOne64, ++exponent;
    return exponent <= 0 ? sign : sign | u32(exponent) << 20 | (u32(digits) & (kOne64 - 1));
}
}  // namespace

u32 rcp64h(u32 a) {
    const u32 size = a & 0x7FFF'FFFF;
    if (size > kInfinity64) return kNan64;
    if (size < kOne64) return sign_of(a) | kInfinity64;
    if (size == kInfinity64) return sign_of(a);
    const Segment& s = kRcp[a >> 13 & 0x7F];
    const u32 x = a << 3 & 0xFFFF;
    const s64 r = (s64(s.value) << 13) + s64(s.slope) * x + s64(s.curve) * square(x << 1) + 0x47E7;
    return packed64(sign_of(a), 2 * kBias64 - 1 - int(size >> 20), r >> 18);
}

u32 rsqrt64h(u32 a) {
    const u32 size = a & 0x7FFF'FFFF;
    if (size > kInfinity64) return kNan64;
    if (size < kOne64) return sign_of(a) | kInfinity64;
    if (sign_of(a) != 0) return kNan64;
    if (size == kInfinity64) return 0;
    const int e = int(size >> 20) - kBias64;
    const u32 fraction = (a << 3 & kFraction) | u32(e & 1) << 23;
    if (fraction == 0) return u32(kBias64 - (e >> 1)) << 20;
    const Segment& s = kRsqrt[fraction >> 17];
    const u32 x = fraction & 0x1'FFFF;
    const s64 r = (s64(s.value) << 14) + s64(s.slope) * x + s64(s.curve) * square(x) * 4 + 0x7FFF;
    return packed64(0, kBias64 - 1 - (e >> 1), r >> 19);
}

}  // namespace vgpu::sfu
