// Lab 9's answers. Trusted; host C++; never in the student's process.
#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>

#include "grading/problem.h"
#include "grading/sort.h"
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
    if (call.task == "one_thread_per_merge") {
        const std::int64_t run = call.scalar("run");
        for (std::int64_t first = 0; first < call.n; first += 2 * run)
            merge(first, std::min(first + run, call.n), std::min(first + 2 * run, call.n));
    } else {
        merge(0, call.scalar("left"), call.n);
    }
    return out;
}

// The same for a sort.
template <class T, class Key, class Before>
std::vector<std::int64_t> sorted(std::int64_t n, Key key, Before before) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(n));
    std::iota(places.begin(), places.end(), 0);
    if constexpr (std::is_integral_v<T>) {
        const bool is_descending = before(1, 0);
        std::vector<std::make_unsigned_t<T>> words(places.size());
        for (const std::int64_t i : places) {
            words[i] = lab::order_word(key(i));
            if (is_descending) words[i] = ~words[i];
        }
        const std::vector<std::uint32_t> order = lab::sorted_places(std::move(words));
        places.assign(order.begin(), order.end());
    } else {
        std::stable_sort(places.begin(), places.end(), [&](auto i, auto j) { return before(key(i), key(j)); });
    }
    return places;
}

// Elements of `width` numbers each, the first of which is the key.
template <class T, class Before>
Expected merged(const Instance& call, std::span<const Array> inputs, std::size_t width, Before before) {
    std::vector<T> in;
    for (const Array& array : inputs) in.insert(in.end(), array.as<T>().begin(), array.as<T>().end());
    auto key = [&](std::int64_t place) { return in[static_cast<std::size_t>(place) * width]; };
    Expected expected;
    expected.exact.reserve(in.size());
    const std::vector<std::int64_t> places =
        call.task == "merge_sort" ? sorted<T>(call.n, key, before)
                                  : origins(call, [&](auto i, auto j) { return before(key(i), key(j)); });
    for (const std::int64_t place : places) {
        for (std::size_t k = 0; k < width; ++k)
            expected.exact.push_back(lab::bits_of(in[static_cast<std::size_t>(place) * width + k]));
    }
    return expected;
}

}  // namespace

std::vector<Expected> merge_expect(const Instance& call, std::span<const Array> inputs) {
    using merge::Order, lab::DType;
    const merge::Variant& variant = merge::variant_of(call);
    if (variant.order == Order::by_key)
        return lab::outputs(merged<std::int32_t>(call, inputs, variant.numbers(), std::less<>()));
    if (variant.dtype == DType::f32) return lab::outputs(merged<float>(call, inputs, variant.numbers(), std::less<>()));
    if (variant.dtype == DType::i64)
        return lab::outputs(merged<std::int64_t>(call, inputs, variant.numbers(), std::less<>()));
    if (variant.order == Order::descending)
        return lab::outputs(merged<std::int32_t>(call, inputs, variant.numbers(), std::greater<>()));
    return lab::outputs(merged<std::int32_t>(call, inputs, variant.numbers(), std::less<>()));
}
