// Lab 9's answers. Trusted; host C++; never in the student's process.
#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>

#include "grading/problem.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

// Of all n elements, those of the second array behind those of the first: where each one of the result comes from.
// `before(i, j)` compares places. The library's merge and its stable sort keep the order of equal elements, and what
// they give is the only right answer.
template <class Before>
std::vector<std::int64_t> origins(const Instance& call, Before before) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(call.n)), out(places.size());
    std::iota(places.begin(), places.end(), 0);
    auto merge = [&](std::int64_t first, std::int64_t middle, std::int64_t last) {
        auto begin = places.begin();
        std::merge(begin + first, begin + middle, begin + middle, begin + last, out.begin() + first, before);
    };
    if (call.task == "merge_sort") {
        std::stable_sort(places.begin(), places.end(), before);
        return places;
    }
    if (call.task == "one_thread_per_merge") {
        const std::int64_t run = call.scalar("run");
        for (std::int64_t first = 0; first < call.n; first += 2 * run)
            merge(first, std::min(first + run, call.n), std::min(first + 2 * run, call.n));
    } else {
        merge(0, call.scalar("left"), call.n);
    }
    return out;
}

// Elements of `width` numbers each, the first of which is the key.
template <class T, class Before>
Expected merged(const Instance& call, std::span<const Array> inputs, std::size_t width, Before before) {
    std::vector<T> in;
    for (const Array& array : inputs) in.insert(in.end(), array.as<T>().begin(), array.as<T>().end());
    auto key = [&](std::int64_t place) { return in[static_cast<std::size_t>(place) * width]; };
    Expected expected;
    for (std::int64_t place : origins(call, [&](auto i, auto j) { return before(key(i), key(j)); })) {
        for (std::size_t k = 0; k < width; ++k) {
            T number = in[static_cast<std::size_t>(place) * width + k];
            if constexpr (std::is_floating_point_v<T>)
                expected.value.push_back(number);
            else
                expected.exact.push_back(static_cast<std::uint64_t>(std::int64_t{number}));
        }
    }
    expected.tolerance.assign(expected.value.size(), 0);  // a copy has no rounding
    return expected;
}

}  // namespace

std::vector<Expected> merge_expect(const Instance& call, std::span<const Array> inputs) {
    using merge::Order, lab::DType;
    const merge::Variant& variant = merge::variant_of(call);
    if (variant.order == Order::by_key) return {merged<std::int32_t>(call, inputs, variant.numbers(), std::less<>())};
    if (variant.dtype == DType::f32) return {merged<float>(call, inputs, variant.numbers(), std::less<>())};
    if (variant.dtype == DType::i64) return {merged<std::int64_t>(call, inputs, variant.numbers(), std::less<>())};
    if (variant.order == Order::descending)
        return {merged<std::int32_t>(call, inputs, variant.numbers(), std::greater<>())};
    return {merged<std::int32_t>(call, inputs, variant.numbers(), std::less<>())};
}
