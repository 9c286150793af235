// Lab 2's answers. Trusted; host C++; never in the student's process.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "grading/error_bound.h"
#include "grading/problem.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

Expected integer(std::int64_t value) {
    Expected expected;
    expected.exact = {static_cast<std::uint64_t>(value)};
    return expected;
}

Expected floating(double value, double tolerance) {
    Expected expected;
    expected.value = {value};
    expected.tolerance = {tolerance};
    return expected;
}

// ---- Integers ----

Expected integer_sum(std::span<const std::int32_t> in) {
    std::int64_t sum = 0;
    for (std::int32_t x : in) sum += x;
    return integer(sum);
}

template <class T>
T largest(std::span<const T> in, T nothing) {
    for (T x : in) nothing = std::max(nothing, x);
    return nothing;
}

template <class T>
T smallest(std::span<const T> in, T nothing) {
    for (T x : in) nothing = std::min(nothing, x);
    return nothing;
}

// ---- Float sums ----

// The weight of the lowest digit of x that is not 0: x is an odd multiple of it. Infinite for 0.
double lowest_digit(float x) {
    if (x == 0) return std::numeric_limits<double>::infinity();
    // As IEEE 754 keeps a float: 8 bits of exponent, then 23 of fraction, before which a normal number has a 1.
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t exponent = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
    const std::uint32_t digits = exponent == 0 ? fraction : fraction | 0x800000;
    // 2^-149 is the smallest float; as a double its exponent field is 1023 - 149.
    const auto weight = std::uint64_t{1023 - 149} + std::max(exponent, 1U) - 1 + std::countr_zero(digits);
    return std::bit_cast<double>(weight << 52);
}

// How far a sum of n floats may be from the true one, whatever the order of the additions: the smaller of two bounds.
//   - If all elements are multiples of q and their magnitudes add up to at most 2^24 q, every partial sum is a multiple
//     of q with at most 24 digits, a float: nothing rounds, and the bound is 0.
//   - An element that passes through d additions is changed by a factor within (1 + u)^d, u = 2^-24, so the error is at
//     most gamma(d) * (the sum of the magnitudes): Higham, "Accuracy and Stability of Numerical Algorithms", chapter 4.
//     d is not n: 4096 threads or more that add n / 4096 elements each, and then a tree, need 32 + n / 4096.
double tolerance_of_sum(std::int64_t n, double magnitudes, double q) {
    if (magnitudes <= 0x1p24 * q) return 0;
    return lab::sum_error_bound<float>(static_cast<double>(32 + n / 4096), magnitudes);
}

Expected float_sum(std::span<const float> in) {
    long double sum = 0;  // 64 digits: its own error is nothing beside a float's
    double magnitudes = 0, q = std::numeric_limits<double>::infinity();
    for (float x : in) {
        sum += x;
        magnitudes += std::fabs(x);
        q = std::min(q, lowest_digit(x));
    }
    return floating(static_cast<double>(sum), tolerance_of_sum(static_cast<std::int64_t>(in.size()), magnitudes, q));
}

}  // namespace

std::vector<Expected> reduce_expect(const Instance& call, std::span<const Array> inputs) {
    using reduce::Op;
    const reduce::Variant& variant = reduce::variant_of(call);
    if (variant.dtype == lab::DType::f32) {
        constexpr float kInfinite = std::numeric_limits<float>::infinity();
        std::span<const float> in = inputs[0].as<float>();
        if (variant.op == Op::max) return {floating(largest(in, -kInfinite), 0)};
        if (variant.op == Op::min) return {floating(smallest(in, kInfinite), 0)};
        return {float_sum(in)};
    }
    std::span<const std::int32_t> in = inputs[0].as<std::int32_t>();
    if (variant.op == Op::max) return {integer(largest(in, INT32_MIN))};
    if (variant.op == Op::min) return {integer(smallest(in, INT32_MAX))};
    return {integer_sum(in)};
}
