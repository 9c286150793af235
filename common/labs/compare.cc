#include "labs/compare.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace lab {
namespace {

constexpr std::size_t kExamples = 5;

// Calls f with a null pointer of the element type that `dtype` stands for.
template <class F>
auto with_type(DType dtype, F f) {
    switch (dtype) {
        case DType::u8:
            return f(static_cast<std::uint8_t*>(nullptr));
        case DType::i32:
            return f(static_cast<std::int32_t*>(nullptr));
        case DType::u32:
            return f(static_cast<std::uint32_t*>(nullptr));
        case DType::i64:
            return f(static_cast<std::int64_t*>(nullptr));
        case DType::u64:
            return f(static_cast<std::uint64_t*>(nullptr));
        case DType::f32:
            return f(static_cast<float*>(nullptr));
        case DType::f64:
            return f(static_cast<double*>(nullptr));
    }
    throw std::logic_error("unknown dtype");
}

template <class T>
std::string text_of(T value) {
    char text[40];
    if constexpr (std::is_same_v<T, std::uint8_t>)
        return std::to_string(value);
    else
        return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void need_size(const Expected& expected, const ArraySpec& spec, bool is_float) {
    const bool ok = is_float ? expected.value.size() == spec.count && expected.tolerance.size() == spec.count
                             : expected.exact.size() == spec.count;
    if (!ok)
        throw std::logic_error("the oracle's answer for " + spec.name + " does not have " + std::to_string(spec.count) +
                               " elements");
}

// |got - expected|, 0 for equal infinities and for NaN where NaN is expected.
double error_of(double got, double expected) {
    if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
    const double error = std::fabs(got - expected);
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

template <class T>
Comparison compare_as(const Expected& expected, const ArraySpec& spec, const T* got, std::uint8_t* flags) {
    constexpr bool is_float = std::is_floating_point_v<T>;
    need_size(expected, spec, is_float);
    Comparison result;
    for (std::size_t i = 0; i < spec.count; ++i) {
        bool wrong = false;
        if constexpr (is_float) {
            const double error = error_of(static_cast<double>(got[i]), expected.value[i]);
            wrong = !(error <= expected.tolerance[i]);  // not error > tolerance: a NaN must fail
            if (error > result.worst_error) {
                result.worst_error = error;
                result.tolerance_there = expected.tolerance[i];
            }
        } else {
            wrong = got[i] != static_cast<T>(expected.exact[i]);
        }
        if (flags != nullptr) flags[i] = wrong ? 1 : 0;
        if (!wrong) continue;
        if (result.wrong++ == 0) result.first = static_cast<std::int64_t>(i);
        if (result.examples.size() < kExamples) {
            T right{};
            if constexpr (is_float)
                right = static_cast<T>(expected.value[i]);
            else
                right = static_cast<T>(expected.exact[i]);
            result.examples.push_back({static_cast<std::int64_t>(i), text_of(right), text_of(got[i])});
        }
    }
    return result;
}

}  // namespace

Comparison compare(const Expected& expected, const ArraySpec& spec, const void* got, std::uint8_t* flags) {
    return with_type(spec.dtype, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        return compare_as(expected, spec, static_cast<const T*>(got), flags);
    });
}

void write_expected(const Expected& expected, const ArraySpec& spec, void* out) {
    with_type(spec.dtype, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        constexpr bool is_float = std::is_floating_point_v<T>;
        need_size(expected, spec, is_float);
        T* to = static_cast<T*>(out);
        for (std::size_t i = 0; i < spec.count; ++i) {
            if constexpr (is_float)
                to[i] = static_cast<T>(expected.value[i]);
            else
                to[i] = static_cast<T>(expected.exact[i]);
        }
    });
}

std::string describe(const Comparison& comparison, const ArraySpec& spec) {
    if (comparison.ok()) return "";
    std::string text =
        spec.name + ": " + std::to_string(comparison.wrong) + " of " + std::to_string(spec.count) + " values wrong";
    for (const Mismatch& m : comparison.examples)
        text += "; [" + std::to_string(m.index) + "] is " + m.got + ", expected " + m.expected;
    return text;
}

}  // namespace lab
