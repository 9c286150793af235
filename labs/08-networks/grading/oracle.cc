// Lab 8's answers. Trusted; host C++; never in the student's process.
#include <algorithm>
#include <bit>
#include <functional>
#include <type_traits>

#include "grading/problem.h"
#include "grading/sort.h"
#include "grading/sorted_pairs.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

constexpr std::int64_t kTile = 1024;  // as in networks.h

// How many neighbours are sorted by themselves.
std::int64_t span_of(const Instance& call) {
    if (call.task == "four_inputs") return 4;
    return call.task == "odd_even" || call.task == "bitonic_block" ? kTile : std::max<std::int64_t>(call.n, 1);
}

template <class T, class Before>
std::vector<T> sorted(const Instance& call, std::span<const T> in, Before before) {
    std::vector<T> out(in.begin(), in.end());
    if constexpr (std::is_integral_v<T>) {
        if (span_of(call) >= call.n) {
            lab::sort_integers(out);
            if (before(1, 0)) std::reverse(out.begin(), out.end());  // equal integers are the same
            return out;
        }
    }
    for (std::int64_t first = 0; first < call.n; first += span_of(call))
        std::stable_sort(out.begin() + first, out.begin() + std::min(first + span_of(call), call.n), before);
    return out;
}

template <class T, class Before>
Expected integers(const Instance& call, std::span<const T> in, Before before) {
    Expected expected;
    expected.exact.reserve(in.size());
    for (T key : sorted(call, in, before)) expected.exact.push_back(static_cast<std::uint64_t>(std::int64_t{key}));
    return expected;
}

// Every float has its place. The comparison of outputs accepts -0 for +0, and any NaN for another. Nothing is lost by
// that, because a sort makes neither.
Expected floats(const Instance& call, std::span<const float> in) {
    auto rank = [](float x) {  // IEEE 754's totalOrder, as a number
        auto bits = std::bit_cast<std::int32_t>(x);
        return bits < 0 ? -1 - std::int64_t{bits & INT32_MAX} : std::int64_t{bits};
    };
    Expected expected;
    expected.value.reserve(in.size());
    for (float x : sorted(call, in, [&](float a, float b) { return rank(a) < rank(b); })) expected.value.push_back(x);
    expected.tolerance.assign(expected.value.size(), 0);  // a copy has no rounding
    return expected;
}

}  // namespace

std::vector<Expected> networks_expect(const Instance& call, std::span<const Array> inputs) {
    using networks::Order, lab::DType;
    const networks::Variant& variant = networks::variant_of(call);
    const Array& in = inputs[0];
    if (variant.order == Order::by_key) return lab::outputs(lab::sorted_pairs(in.as<std::int32_t>()));
    if (variant.dtype == DType::f32) return lab::outputs(floats(call, in.as<float>()));
    if (variant.dtype == DType::i64)
        return lab::outputs(integers<std::int64_t>(call, in.as<std::int64_t>(), std::less<>()));
    if (variant.order == Order::descending)
        return lab::outputs(integers<std::int32_t>(call, in.as<std::int32_t>(), std::greater<>()));
    return lab::outputs(integers<std::int32_t>(call, in.as<std::int32_t>(), std::less<>()));
}
