// Lab 3's answers. Trusted; host C++; never in the student's process.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "grading/error_bound.h"
#include "grading/problem.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

constexpr std::int64_t kTile = 1024;  // as in scan.h

bool scans_tiles(const Instance& call) { return call.task == "hillis_steele" || call.task == "blelloch"; }

// Calls out(i, sum) for each element; sum is that of everything before i, or up to i.
template <class Sum, class Add, class Out>
void walk(const Instance& call, Sum identity, Add add, Out out) {
    const bool exclusive = scan::variant_of(call).kind == scan::Kind::exclusive;
    Sum sum = identity;
    for (std::int64_t i = 0; i < call.n; ++i) {
        if (scans_tiles(call) && i % kTile == 0) sum = identity;
        if (exclusive) out(i, sum);
        sum = add(sum, i);
        if (!exclusive) out(i, sum);
    }
}

// ---- Integers: exact, and modulo 2^32 or 2^64 ----

template <class T>
Expected integer_sums(const Instance& call, std::span<const T> in) {
    Expected expected;
    expected.exact.resize(in.size());
    walk(
        call, std::uint64_t{0},
        [&](std::uint64_t sum, std::int64_t i) { return sum + static_cast<std::uint64_t>(in[i]); },
        [&](std::int64_t i, std::uint64_t sum) { expected.exact[i] = lab::bits_of(static_cast<T>(sum)); });
    return expected;
}

Expected maxima(const Instance& call, std::span<const std::int32_t> in) {
    Expected expected;
    expected.exact.resize(in.size());
    walk(
        call, std::int64_t{INT32_MIN},
        [&](std::int64_t most, std::int64_t i) { return std::max<std::int64_t>(most, in[i]); },
        [&](std::int64_t i, std::int64_t most) { expected.exact[i] = static_cast<std::uint64_t>(most); });
    return expected;
}

Expected segmented_sums(const Instance& call, std::span<const std::int32_t> in) {
    Expected expected;
    expected.exact.resize(in.size());
    std::int64_t any_head = 0;
    walk(
        call, std::uint32_t{0},
        [&](std::uint32_t sum, std::int64_t i) {
            any_head |= in[2 * i + 1];
            return (in[2 * i + 1] ? 0 : sum) + static_cast<std::uint32_t>(in[2 * i]);
        },
        [&](std::int64_t i, std::uint32_t sum) {
            expected.exact[2 * i] = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(sum)});
            expected.exact[2 * i + 1] = static_cast<std::uint64_t>(any_head);
        });
    return expected;
}

struct Map {
    std::uint32_t a, b;
};

Expected compositions(const Instance& call, std::span<const std::uint32_t> in) {
    Expected expected;
    expected.exact.resize(in.size());
    walk(
        call, Map{1, 0},
        [&](Map f, std::int64_t i) {
            return Map{in[2 * i] * f.a, in[2 * i] * f.b + in[2 * i + 1]};
        },
        [&](std::int64_t i, Map f) {
            expected.exact[2 * i] = f.a;
            expected.exact[2 * i + 1] = f.b;
        });
    return expected;
}

// ---- Floats ----

// The weight of the lowest digit of x that is not 0: x is an odd multiple of it. Infinite for 0.
double lowest_digit(float x) {
    if (x == 0 || !std::isfinite(x)) return x == 0 ? INFINITY : 0;
    int exponent = 0;
    auto digits = static_cast<std::uint32_t>(std::ldexp(std::abs(std::frexp(x, &exponent)), 24));
    return std::ldexp(1.0, exponent - 24 + std::countr_zero(digits));
}

// How far the sum of elements 0..i, whose sizes add up to `size`, may be from the true one, whatever the order of the
// additions. Two bounds hold, and the smaller one counts:
// - If all elements are multiples of q and size <= 2^24 q, every partial sum of any of them is a float: 0.
// - An element that passes through d additions is changed by a factor of at most (1 + u)^d, u = 2^-24, so the error is
//   at most gamma(d) * size with gamma(d) = d u / (1 - d u) (Higham, "Accuracy and Stability of Numerical Algorithms",
//   lemma 3.1 and section 4.2). A scan by tiles of at least 1024 passes an element through its thread's, its warp's
//   and its block's additions, 64 at the most, and through one for each tile that follows: d = 64 + i / 1024.
double tolerance_of_sum(std::int64_t i, double size, double q) {
    if (size <= 0x1p24 * q) return 0;
    return lab::sum_error_bound<float>(64 + static_cast<double>(i) / kTile, size);
}

Expected float_sums(const Instance& call, std::span<const float> in) {
    Expected expected;
    expected.value.resize(in.size());
    expected.tolerance.resize(in.size());
    struct Sums {
        long double sum, size;  // 64 bits of mantissa: exact next to a float
        double q;
    };
    walk(
        call, Sums{0, 0, INFINITY},
        [&](Sums s, std::int64_t i) {
            return Sums{s.sum + in[i], s.size + std::abs(in[i]), std::min(s.q, lowest_digit(in[i]))};
        },
        [&](std::int64_t i, Sums s) {
            expected.value[i] = static_cast<double>(s.sum);
            expected.tolerance[i] = tolerance_of_sum(i, static_cast<double>(s.size), s.q);
        });
    return expected;
}

}  // namespace

std::vector<Expected> scan_expect(const Instance& call, std::span<const Array> inputs) {
    using scan::Op, lab::DType;
    const scan::Variant& variant = scan::variant_of(call);
    const Array& in = inputs[0];
    switch (variant.op) {
        case Op::max:
            return lab::outputs(maxima(call, in.as<std::int32_t>()));
        case Op::compose:
            return lab::outputs(compositions(call, in.as<std::uint32_t>()));
        case Op::segmented_sum:
            return lab::outputs(segmented_sums(call, in.as<std::int32_t>()));
        case Op::sum:
            break;
    }
    if (variant.dtype == DType::f32) return lab::outputs(float_sums(call, in.as<float>()));
    if (variant.dtype == DType::i64) return lab::outputs(integer_sums<std::int64_t>(call, in.as<std::int64_t>()));
    return lab::outputs(integer_sums<std::int32_t>(call, in.as<std::int32_t>()));
}
