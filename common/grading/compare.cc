#include "grading/compare.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <type_traits>

namespace lab {
namespace {

constexpr std::size_t kExamples = 5;

template <class T>
std::string text_of(T value) {
    char text[40];
    if constexpr (std::is_same_v<T, std::uint8_t>)
        return std::to_string(value);
    else
        return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// |got - expected|, 0 for equal infinities and for NaN where NaN is expected.
double error_of(double got, double expected) {
    if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
    const double error = std::fabs(got - expected);
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

template <class T>
T right_one(const Expected& expected, std::size_t i) {
    if constexpr (!std::is_floating_point_v<T>)
        return static_cast<T>(expected.exact[i]);
    else if (expected.exact.empty())
        return static_cast<T>(expected.value[i]);
    else if constexpr (sizeof(T) == 4)
        return std::bit_cast<T>(static_cast<std::uint32_t>(expected.exact[i]));
    else
        return std::bit_cast<T>(expected.exact[i]);
}

bool is_filled_with(std::uint8_t byte, const void* element, std::size_t size) {
    const auto* bytes = static_cast<const std::uint8_t*>(element);
    return std::all_of(bytes, bytes + size, [&](std::uint8_t b) { return b == byte; });
}

// Orders the elements at `places`, which may come in any order, so that most of them agree with `got`.
template <class T>
void settle(std::vector<std::uint64_t>& exact, const std::vector<std::size_t>& places, const T* got) {
    if (places.size() < 2) return;
    std::multiset<T> left;
    for (const std::size_t i : places) left.insert(static_cast<T>(exact[i]));
    std::vector<std::size_t> others;
    for (const std::size_t i : places) {
        const auto found = left.find(got[i]);
        if (found == left.end()) {
            others.push_back(i);
        } else {
            exact[i] = static_cast<std::uint64_t>(*found);
            left.erase(found);
        }
    }
    for (const std::size_t i : others) exact[i] = static_cast<std::uint64_t>(*left.begin()), left.erase(left.begin());
}

// The expected output, with each group in the order that agrees best with `got`.
template <class T>
Expected settled(Expected expected, const T* got) {
    std::vector<std::size_t> places;  // of the current group
    for (std::size_t i = 0; i < expected.group.size(); ++i) {
        if (expected.group[i] == Expected::kFixed) continue;
        if (!places.empty() && expected.group[i] != expected.group[places.front()]) {
            settle(expected.exact, places, got);
            places.clear();
        }
        places.push_back(i);
    }
    settle(expected.exact, places, got);
    return expected;
}

template <class T>
Comparison compare_as(const Expected& expected, const ArraySpec& spec, const T* got, std::uint8_t* flags,
                      std::optional<std::uint8_t> poison) {
    const std::size_t count = meaningful(expected, spec);
    const bool look_at_rest = expected.rest == Expected::Rest::untouched && poison.has_value();
    Comparison result;
    for (std::size_t i = 0; i < spec.count; ++i) {
        bool wrong = false;
        if (i >= count) {
            wrong = look_at_rest && !is_filled_with(*poison, &got[i], sizeof(T));
        } else if (!expected.exact.empty()) {
            wrong = bits_of(got[i]) != bits_of(right_one<T>(expected, i));
        } else if constexpr (std::is_floating_point_v<T>) {
            const double error = error_of(static_cast<double>(got[i]), expected.value[i]);
            wrong = !(error <= expected.tolerance[i]);  // not error > tolerance: a NaN must fail
            if (error > result.worst_error) {
                result.worst_error = error;
                result.tolerance_there = expected.tolerance[i];
            }
        }
        if (flags != nullptr) flags[i] = wrong ? 1 : 0;
        if (!wrong) continue;
        if (result.wrong++ == 0) result.first = static_cast<std::int64_t>(i);
        if (result.examples.size() < kExamples)
            result.examples.push_back({static_cast<std::int64_t>(i),
                                       i < count ? text_of(right_one<T>(expected, i)) : "untouched", text_of(got[i])});
    }
    return result;
}

}  // namespace

std::size_t meaningful(const Expected& expected, const ArraySpec& spec) {
    const bool is_float = spec.dtype == DType::f32 || spec.dtype == DType::f64;
    const bool is_computed = is_float && expected.exact.empty();
    const std::size_t count = is_computed ? expected.value.size() : expected.exact.size();
    const bool fits = expected.rest == Expected::Rest::none ? count == spec.count : count <= spec.count;
    if (!fits || (is_computed && expected.tolerance.size() != count))
        throw std::logic_error("the oracle's answer for " + spec.name + " does not have " + std::to_string(spec.count) +
                               " elements");
    if (!expected.group.empty() && (is_float || expected.group.size() != count))
        throw std::logic_error("the oracle's groups for " + spec.name + " do not fit its elements");
    return count;
}

Comparison compare(const Expected& expected, const ArraySpec& spec, const void* got, std::uint8_t* flags,
                   std::optional<std::uint8_t> poison) {
    return with_type(spec.dtype, [&](auto zero) {
        using T = decltype(zero);
        const T* elements = static_cast<const T*>(got);
        meaningful(expected, spec);  // throws if `settled` would not fit
        if (expected.group.empty()) return compare_as(expected, spec, elements, flags, poison);
        return compare_as(settled(expected, elements), spec, elements, flags, poison);
    });
}

void write_expected(const Expected& expected, const ArraySpec& spec, void* out) {
    with_type(spec.dtype, [&](auto zero) {
        using T = decltype(zero);
        const std::size_t count = meaningful(expected, spec);
        for (std::size_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = right_one<T>(expected, i);
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
