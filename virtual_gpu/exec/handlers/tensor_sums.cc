#include "virtual_gpu/exec/handlers/tensor_sums.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "virtual_gpu/exec/handlers/float_ops.h"

namespace vgpu {
namespace {

using ptx::Number;
using ptx::TensorForm;

constexpr int kMostLines = 32, kMostK = 16;

// A factor or a summand: (-1)^is_negative * fraction * 2^exponent.
struct Float {
    std::int32_t fraction = 0, exponent = 0;
    bool is_negative = false, is_infinite = false, is_nan = false;
};

struct Format {
    int exponent_bits, fraction_bits, dropped;  // dropped: low bits of the register that do not count
};
constexpr Format format_of(Number n) {
    switch (n) {
        case Number::f16:
            return {5, 10, 0};
        case Number::bf16:
            return {8, 7, 0};
        case Number::tf32:
            return {8, 10, 13};
        default:
            return {8, 23, 0};
    }
}

// The exponent is that of the fraction's lowest bit.
Float parts_of(std::uint64_t bits, Format f) {
    bits >>= f.dropped;
    const int largest = (1 << f.exponent_bits) - 1, bias = largest / 2;
    const int exponent = static_cast<int>(bits >> f.fraction_bits) & largest;
    Float out;
    out.is_negative = (bits >> (f.exponent_bits + f.fraction_bits) & 1) != 0;
    out.fraction = static_cast<std::int32_t>(bits & ((std::uint64_t{1} << f.fraction_bits) - 1));
    if (exponent == largest) {
        out.is_infinite = out.fraction == 0;
        out.is_nan = out.fraction != 0;
        out.fraction = 0;
    }
    if (exponent != 0 && exponent != largest) out.fraction |= 1 << f.fraction_bits;
    out.exponent = std::max(exponent, 1) - bias - f.fraction_bits;
    return out;
}

// sum * 2^unit, cut to a format: towards zero, or to the nearest, of two the even one. A zero has no sign.
std::uint64_t packed(std::int64_t sum, int unit, Format f, bool to_nearest) {
    if (sum == 0) return 0;
    const auto magnitude = static_cast<std::uint64_t>(std::abs(sum));
    const std::uint64_t sign = std::uint64_t{sum < 0} << (f.exponent_bits + f.fraction_bits);
    const int largest = (1 << f.exponent_bits) - 1, bias = largest / 2;
    const int top = static_cast<int>(std::bit_width(magnitude)) - 1 + unit;
    int lowest = std::max(top, 1 - bias) - f.fraction_bits;  // exponent of the result's last bit
    const int down = lowest - unit;
    std::uint64_t fraction = 0;
    if (down <= 0) {
        fraction = magnitude << -down;
    } else if (down < 64) {
        fraction = magnitude >> down;
        const std::uint64_t rest = magnitude & ((std::uint64_t{1} << down) - 1), half = std::uint64_t{1} << (down - 1);
        if (to_nearest && (rest > half || (rest == half && (fraction & 1) != 0))) ++fraction;
    }
    if (fraction >> (f.fraction_bits + 1) != 0) fraction >>= 1, ++lowest;
    if (fraction == 0) return 0;
    const bool is_normal = fraction >> f.fraction_bits != 0;
    const int exponent = is_normal ? lowest + f.fraction_bits + bias : 0;
    if (exponent >= largest) return sign | static_cast<std::uint64_t>(largest) << f.fraction_bits;
    return sign | static_cast<std::uint64_t>(exponent) << f.fraction_bits |
           (fraction & ((std::uint64_t{1} << f.fraction_bits) - 1));
}

// The fraction bits below the largest summand's first that a sum keeps.
constexpr int kKept = 25;
constexpr std::int32_t kNothing = -100'000;  // exponent of a zero

struct Sums {
    std::int64_t exact[kMostLines];  // of the products, in units of 2^(largest - kKept)
    std::int32_t largest[kMostLines];
};

// Factors of k products, split for the loops below.
struct Factors {
    alignas(64) std::int32_t fraction[kMostK][kMostLines], exponent[kMostK][kMostLines];
    bool is_special[kMostLines] = {};  // a line with an infinity or a NaN
};

void split(Factors& out, int k, int line, std::uint64_t bits, Format f) {
    const Float x = parts_of(bits, f);
    out.fraction[k][line] = x.is_negative ? -x.fraction : x.fraction;
    out.exponent[k][line] = x.fraction == 0 ? kNothing : x.exponent + f.fraction_bits;
    out.is_special[line] |= x.is_infinite || x.is_nan;
}

// With infinities and NaNs among them: the new sum's bits, if they decide it.
bool special_sum(const TensorProduct& p, Format factors, Format results, int m, int n, int first, int count,
                 std::uint64_t& sum) {
    bool is_nan = false, has_plus = false, has_minus = false;
    const auto infinite = [&](bool is_negative) { (is_negative ? has_minus : has_plus) = true; };
    for (int k = first; k < first + count; ++k) {
        const Float a = parts_of(p.a[m * p.k + k], factors), b = parts_of(p.b[k * p.n + n], factors);
        is_nan |= a.is_nan || b.is_nan;
        if (!a.is_infinite && !b.is_infinite) continue;
        is_nan |= (!a.is_infinite && a.fraction == 0) || (!b.is_infinite && b.fraction == 0);
        infinite(a.is_negative != b.is_negative);
    }
    const Float x = parts_of(sum, results);
    is_nan |= x.is_nan;
    if (x.is_infinite) infinite(x.is_negative);
    is_nan |= has_plus && has_minus;
    if (!is_nan && !has_plus && !has_minus) return false;
    const int bits = results.exponent_bits + results.fraction_bits;
    const std::uint64_t all = (std::uint64_t{1} << bits) - 1,
                        fraction = (std::uint64_t{1} << results.fraction_bits) - 1;
    sum = is_nan ? all : (all & ~fraction) | std::uint64_t{has_minus} << bits;
    return true;
}

// Products of one row of a and all columns of b, k from `first` on: exact, then cut to the bits that are kept.
void sum_products(Sums& s, const Factors& a, const Factors& b, int m, int n, int first, int count, int fraction_bits,
                  const std::int32_t* c_exponent) {
    alignas(64) std::int32_t largest[kMostLines], sum[kMostLines] = {};
    std::copy_n(c_exponent, n, largest);
    for (int k = first; k < first + count; ++k) {
        const std::int32_t e = a.exponent[k][m];
        for (int j = 0; j < n; ++j) largest[j] = std::max(largest[j], e + b.exponent[k][j]);
    }
    const int up = kKept - 2 * fraction_bits;
    for (int k = first; k < first + count; ++k) {
        const std::int32_t e = a.exponent[k][m], f = a.fraction[k][m];
        for (int j = 0; j < n; ++j) {
            const std::int32_t product = f * b.fraction[k][j], sign = product >> 31;
            const std::int32_t down = std::min(largest[j] - e - b.exponent[k][j], 31);
            const std::int32_t cut = static_cast<std::int32_t>(
                static_cast<std::uint32_t>((product ^ sign) - sign) << up >> std::max(down, 0));
            sum[j] += (cut ^ sign) - sign;
        }
    }
    for (int j = 0; j < n; ++j) s.exact[j] = sum[j], s.largest[j] = largest[j];
}

void multiply_floats(const TensorProduct& p) {
    const TensorForm& form = *p.form;
    // If only one of c and d is of halves, an H100 converts it, and the sum is one of floats.
    const bool is_mixed = form.c != form.d;
    const Format factors = format_of(form.a), results = format_of(is_mixed ? Number::f32 : form.d);
    const auto sum_of = [&](std::uint64_t bits) {
        return is_mixed && form.c == Number::f16 ? std::bit_cast<u32>(half_to_float(static_cast<u16>(bits))) : bits;
    };
    static thread_local Factors a, b;
    std::fill_n(a.is_special, kMostLines, false);
    std::fill_n(b.is_special, kMostLines, false);
    for (int k = 0; k < p.k; ++k) {
        for (int m = 0; m < p.m; ++m) split(a, k, m, p.a[m * p.k + k], factors);
        for (int n = 0; n < p.n; ++n) split(b, k, n, p.b[k * p.n + n], factors);
    }
    // Such a product is two instructions of an H100; all others are one along k.
    const int count = form.is_wmma && form.a == Number::tf32 ? p.k / 2 : p.k;
    for (int m = 0; m < p.m; ++m) {
        std::uint64_t line[kMostLines];
        std::transform(p.c + m * p.n, p.c + (m + 1) * p.n, line, sum_of);
        for (int first = 0; first < p.k; first += count) {
            Float c[kMostLines];
            std::int32_t exponent[kMostLines];
            for (int n = 0; n < p.n; ++n) {
                c[n] = parts_of(line[n], results);
                exponent[n] = c[n].fraction == 0 ? kNothing : c[n].exponent + results.fraction_bits;
            }
            Sums s;
            sum_products(s, a, b, m, p.n, first, count, factors.fraction_bits, exponent);
            for (int n = 0; n < p.n; ++n) {
                const bool is_special = a.is_special[m] || b.is_special[n] || c[n].is_infinite || c[n].is_nan;
                if (is_special && special_sum(p, factors, results, m, n, first, count, line[n])) continue;
                const int unit = s.largest[n] - kKept, up = c[n].exponent - unit;
                std::int64_t own = c[n].fraction;
                if (own != 0) own = up >= 0 ? own << up : up > -63 ? own >> -up : 0;
                const bool to_nearest = !is_mixed && form.d == Number::f16;
                line[n] = packed(s.exact[n] + (c[n].is_negative ? -own : own), unit, results, to_nearest);
            }
        }
        if (is_mixed && form.d == Number::f16)
            for (int n = 0; n < p.n; ++n)
                line[n] = double_to_half(std::bit_cast<float>(static_cast<u32>(line[n])), FE_TONEAREST);
        std::copy_n(line, p.n, p.d + m * p.n);
    }
}

// ---- Integers ----

std::int64_t element_of(std::uint64_t word, int n, Number number) {
    const auto w = static_cast<std::uint32_t>(word);
    switch (number) {
        case Number::s8:
            return static_cast<std::int8_t>(w >> 8 * n);
        case Number::u8:
            return static_cast<std::uint8_t>(w >> 8 * n);
        case Number::s4:
            return static_cast<std::int32_t>(w >> 4 * n << 28) >> 28;
        default:
            return w >> 4 * n & 15;
    }
}

void multiply_integers(const TensorProduct& p) {
    const TensorForm& form = *p.form;
    const int parts = bits_of(form.a) == 8 ? 1 : 8;  // of an element or a word
    for (int m = 0; m < p.m; ++m)
        for (int n = 0; n < p.n; ++n) {
            std::int64_t sum = static_cast<std::int32_t>(p.c[m * p.n + n]);
            for (int k = 0; k < p.k; ++k) {
                const std::uint64_t a = p.a[m * p.k + k], b = p.b[k * p.n + n];
                if (form.a == Number::b1)
                    sum += std::popcount(static_cast<std::uint32_t>(form.has_and ? a & b : a ^ b));
                else
                    for (int one = 0; one < parts; ++one)
                        sum += element_of(a, one, form.a) * element_of(b, one, form.b);
            }
            using Limits = std::numeric_limits<std::int32_t>;
            if (form.saturates) sum = std::clamp<std::int64_t>(sum, Limits::min(), Limits::max());
            p.d[m * p.n + n] = static_cast<std::uint32_t>(sum);
        }
}

// ---- Doubles ----

constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

void multiply_doubles(const TensorProduct& p) {
    const int before = std::fegetround();
    std::fesetround(kModes[static_cast<int>(p.form->rounding)]);
    for (int m = 0; m < p.m; ++m)
        for (int n = 0; n < p.n; ++n) {
            volatile double sum = std::bit_cast<double>(p.c[m * p.n + n]);
            for (int k = 0; k < p.k; ++k) {
                const double a = std::bit_cast<double>(p.a[m * p.k + k]), b = std::bit_cast<double>(p.b[k * p.n + n]);
                const double c = sum;
                sum = with_nan_of(std::fma(a, b, c), c, a != a ? a : b);
            }
            p.d[m * p.n + n] = std::bit_cast<std::uint64_t>(double{sum});
        }
    std::fesetround(before);
}

}  // namespace

void multiply_matrices(const TensorProduct& p) {
    switch (p.form->a) {
        case Number::f64:
            return multiply_doubles(p);
        case Number::f16:
        case Number::bf16:
        case Number::tf32:
            return multiply_floats(p);
        default:
            return multiply_integers(p);
    }
}

}  // namespace vgpu
