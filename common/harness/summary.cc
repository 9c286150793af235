#include "harness/summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <type_traits>

#include "grading/format.h"

namespace lab {
namespace {

template <class T>
std::string sum_of(std::span<const T> values) {
    if constexpr (std::is_integral_v<T>) {
        std::uint64_t sum = 0;  // unsigned, so that it may wrap around
        for (const T value : values) sum += static_cast<std::uint64_t>(value);
        return with_commas(static_cast<std::int64_t>(sum));
    } else {
        double sum = 0;
        std::int64_t odd = 0;  // NaN and infinities, which would hide all other values
        for (const T value : values) {
            if (std::isfinite(value))
                sum += static_cast<double>(value);
            else
                ++odd;
        }
        char text[40];
        std::snprintf(text, sizeof text, "%.9g", sum);
        return text + (odd == 0 ? "" : ", " + with_commas(odd) + " NaN or infinite");
    }
}

}  // namespace

std::size_t length_of(const Array& output, std::span<const Array> outputs) {
    const std::string& name = output.spec.length_in;
    if (name.empty()) return output.spec.count;
    for (const Array& other : outputs) {
        if (other.spec.name != name) continue;
        // The student wrote this number, so it may be anything; the array's length bounds it.
        return with_type(other.spec.dtype, [&](auto zero) -> std::size_t {
            const auto length = other.as<decltype(zero)>()[0];
            if (length <= 0) return 0;
            const double elements = static_cast<double>(length) * static_cast<double>(output.spec.length_unit);
            return static_cast<std::size_t>(std::min(elements, static_cast<double>(output.spec.count)));
        });
    }
    throw std::logic_error(output.spec.name + " has its length in " + name + ", which is not an output");
}

std::string sum_text(const Array& output, std::size_t length) {
    return with_type(output.spec.dtype, [&](auto zero) {
        using T = decltype(zero);
        return (output.spec.count == 1 ? "result " : "sum ") + sum_of<T>(output.as<T>().first(length));
    });
}

}  // namespace lab
