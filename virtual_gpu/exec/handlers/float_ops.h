// What all floating-point handlers share: NaNs, flushing of subnormals, saturation.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>

#include "virtual_gpu/exec/handlers/ops.h"

namespace vgpu {

// Single precision gives one NaN, as the hardware does; double precision passes on a NaN's payload.
inline float canonical(float x) { return x != x ? std::bit_cast<float>(0x7FFF'FFFFu) : x; }
inline double canonical(double x) { return x; }
// A NaN's payload is passed on, quiet; of several NaNs this one's (PTX does not say which, nor does an H200 always
// choose the same).
inline double with_nan_of(double r, double first, double second) {
    if (r == r) return r;
    const double from = first != first ? first : second;
    return from != from ? std::bit_cast<double>(std::bit_cast<u64>(from) | 0x0008'0000'0000'0000u) : r;
}

template <bool kFtz>
float flush(float x) {
    if constexpr (!kFtz) return x;
    const u32 b = std::bit_cast<u32>(x);
    return std::bit_cast<float>((b & 0x7F80'0000u) == 0 ? b & 0x8000'0000u : b);
}
template <bool kFtz>
double flush(double x) {
    return x;
}

template <bool kSat, class T>
T saturate(T x) {
    if constexpr (!kSat) return x;
    return x > T(0) ? (x < T(1) ? x : T(1)) : T(0);  // NaN gives 0
}

template <class Op, bool kFtz, bool kSat>
struct Wrapped {
    template <class T, class... R>
    static T f(T a, R... rest) {
        return saturate<kSat>(canonical(flush<kFtz>(T(Op::f(flush<kFtz>(a), flush<kFtz>(rest)...)))));
    }
};

// Picks the variant for ftz and sat.
template <class Op, class T, int kArity, bool kFtz, bool kSat>
constexpr Handler wrapped_handler() {
    if constexpr (kArity == 1)
        return op1<Wrapped<Op, kFtz, kSat>, T, T>;
    else if constexpr (kArity == 2)
        return op2<Wrapped<Op, kFtz, kSat>, T, T>;
    else
        return op3<Wrapped<Op, kFtz, kSat>, T, T>;
}
template <class Op, class T, int kArity>
Handler float_handler(bool ftz, bool sat) {
    if constexpr (std::is_same_v<T, double>) return wrapped_handler<Op, T, kArity, false, false>();
    if (sat) return ftz ? wrapped_handler<Op, T, kArity, true, true>() : wrapped_handler<Op, T, kArity, false, true>();
    return ftz ? wrapped_handler<Op, T, kArity, true, false>() : wrapped_handler<Op, T, kArity, false, false>();
}

// The CPU's rounding mode while it lives. The fences keep the compiler from moving arithmetic out.
class Rounding {
  public:
    explicit Rounding(int mode) : old_(std::fegetround()) {
        std::fesetround(mode);
        __asm__ volatile("" ::: "memory");
    }
    ~Rounding() {
        __asm__ volatile("" ::: "memory");
        std::fesetround(old_);
    }
    Rounding(const Rounding&) = delete;
    Rounding& operator=(const Rounding&) = delete;

  private:
    int old_;
};

// FE_TONEAREST unless the instruction says otherwise (.rz .rm .rp and their integer forms).
void decode_half(Decoder&);         // any arithmetic of f16, f16x2, bf16, bf16x2
bool decode_approximate(Decoder&);  // rcp, sqrt and div with .approx or .full; false: without

inline int rounding_of(const Decoder& d) {
    if (d.has("rz") || d.has("rzi")) return FE_TOWARDZERO;
    if (d.has("rm") || d.has("rmi")) return FE_DOWNWARD;
    if (d.has("rp") || d.has("rpi")) return FE_UPWARD;
    return FE_TONEAREST;
}
// The mode in an instruction's `small`.
constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
inline std::uint8_t small_rounding(int mode) {
    std::uint8_t n = 0;
    while (kModes[n] != mode) ++n;
    return n;
}
inline int mode_of(const Instr* i) { return kModes[i->small]; }

float half_to_float(u16);
u16 float_to_half(float);              // nearest even
u16 double_to_half(double, int mode);  // any rounding; exact: one rounding only
float bfloat_to_float(u16);
u16 float_to_bfloat(float, int mode);
u16 double_to_bfloat(double, int mode);  // exact, too

}  // namespace vgpu
