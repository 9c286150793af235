// Conversions to and from pairs of 8-bit floats: e4m3 (no infinity, one NaN) and e5m2 (the upper half of a half).
#include "virtual_gpu/exec/handlers/small_floats.h"

#include <bit>
#include <cmath>

#include "virtual_gpu/exec/handlers/float_ops.h"

namespace vgpu {
namespace {

using ptx::Type;

struct Format {
    int fraction_bits, lowest;  // exponent of the smallest normal number
    double largest;
};
constexpr Format kE4m3 = {3, -6, 448}, kE5m2 = {2, -14, 57344};
constexpr u8 kNan = 0x7F;
constexpr u16 kHalfNan = 0x7FFF;
enum : std::uint32_t { kIsE5m2 = 1, kZeroIfNegative = 2 };  // Instr::aux

// Rounded to the nearest, ties to even; what is too large becomes the largest.
u8 to_small(double x, std::uint32_t flags) {
    if (x != x) return kNan;
    if ((flags & kZeroIfNegative) != 0 && x <= 0) return 0;
    const Format& f = (flags & kIsE5m2) != 0 ? kE5m2 : kE4m3;
    const u8 sign = std::signbit(x) ? 0x80 : 0;
    const double a = std::min(std::fabs(x), f.largest);
    if (a == 0) return sign;
    const int exponent = std::max(std::ilogb(a), f.lowest);
    const double scaled = std::ldexp(a, f.fraction_bits - exponent);  // below 2^(fraction_bits + 1)
    double whole = std::floor(scaled);
    const double rest = scaled - whole;
    if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) != 0)) whole += 1;
    // A normal number's leading one, and a carry out of the fraction, add one to the exponent field.
    return u8(sign | (((exponent - f.lowest) << f.fraction_bits) + int(whole)));
}

u16 to_half(u8 x, std::uint32_t flags) {
    const bool is_e5m2 = (flags & kIsE5m2) != 0;
    const int magnitude = x & 0x7F;
    if (is_e5m2 ? magnitude > 0x7C : magnitude == kNan) return kHalfNan;
    if ((flags & kZeroIfNegative) != 0 && (x & 0x80) != 0) return 0;
    if (is_e5m2) return u16(x << 8);
    const int exponent = magnitude >> 3, fraction = magnitude & 7;
    const double value = exponent != 0 ? std::ldexp(8 + fraction, exponent - 10) : std::ldexp(fraction, -9);
    return u16((x & 0x80) << 8 | double_to_half(value, FE_TONEAREST));
}

const Instr* floats_to_small(const Instr* i, Warp& w, Mask m) {
    u16* d = w.col<u16>(i->d);
    const float *a = w.col<const float>(i->a), *b = w.col<const float>(i->b);
    for (int l : lanes(m)) d[l] = u16(to_small(a[l], i->aux) << 8 | to_small(b[l], i->aux));
    return i + 1;
}
const Instr* halves_to_small(const Instr* i, Warp& w, Mask m) {
    u16* d = w.col<u16>(i->d);
    const u32* a = w.col<const u32>(i->a);
    for (int l : lanes(m))
        d[l] = u16(to_small(half_to_float(u16(a[l] >> 16)), i->aux) << 8 | to_small(half_to_float(u16(a[l])), i->aux));
    return i + 1;
}
const Instr* small_to_halves(const Instr* i, Warp& w, Mask m) {
    u32* d = w.col<u32>(i->d);
    const u16* a = w.col<const u16>(i->a);
    for (int l : lanes(m)) d[l] = u32(to_half(u8(a[l] >> 8), i->aux)) << 16 | to_half(u8(a[l]), i->aux);
    return i + 1;
}

bool is_small(std::string_view m) { return m == "e4m3x2" || m == "e5m2x2"; }

}  // namespace

bool decode_small_floats(Decoder& d) {
    const auto& modifiers = d.in->modifiers;
    const auto small = std::find_if(modifiers.begin(), modifiers.end(), is_small);
    if (small == modifiers.end()) return false;
    if (d.types() != 1 || !d.has("rn")) throw Unsupported{};
    const Type other = d.type();
    const std::uint32_t flags = (*small == "e5m2x2" ? kIsE5m2 : 0u) | (d.has("relu") ? kZeroIfNegative : 0u);
    const bool narrows = small + 1 != modifiers.end();  // the result's type comes first
    if (!narrows) {
        if (other != Type::f16x2) throw Unsupported{};
        d.emit(small_to_halves, d.result(0, Type::b32), d.value(1, Type::b16)).aux = flags;
    } else if (other == Type::f32) {
        const Column a = d.value(1, Type::f32), b = d.value(2, Type::f32);
        d.emit(floats_to_small, d.result(0, Type::b16), a, b).aux = flags;
    } else if (other == Type::f16x2) {
        d.emit(halves_to_small, d.result(0, Type::b16), d.value(1, Type::b32)).aux = flags;
    } else {
        throw Unsupported{};
    }
    return true;
}

}  // namespace vgpu
