// Half precision on the host: 1 sign bit, 5 bits of exponent, 10 of fraction.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace lab {

struct Half {
    std::uint16_t bits;
};

inline double to_double(Half half) {
    const int exponent = half.bits >> 10 & 31, fraction = half.bits & 1023;
    double size = std::ldexp(fraction + (exponent > 0 ? 1024 : 0), (exponent > 0 ? exponent : 1) - 25);
    if (exponent == 31)
        size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return (half.bits & 0x8000) != 0 ? -size : size;
}

// The half nearest to a finite number, the even one if two are as near; infinity from 65,520 on.
inline Half to_half(double value) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const double size = std::fabs(value);
    if (size >= 65520) return {static_cast<std::uint16_t>(sign | 0x7c00)};
    int exponent = -13;
    if (size >= 0x1p-14) std::frexp(size, &exponent);  // size < 2^exponent
    const int unit = exponent - 11;                    // of the last place; normal halves begin at 2^-14
    // 1024 to 2048 units of a normal half: adding the fraction carries into the exponent.
    const auto units = static_cast<int>(std::nearbyint(std::ldexp(size, -unit)));
    const int base = (unit + 24) * 1024;  // 0 for subnormal halves and those of the smallest exponent
    return {static_cast<std::uint16_t>(sign | (base + units))};
}

}  // namespace lab
