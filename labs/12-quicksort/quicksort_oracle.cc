// Lab 12's answers. Trusted; host C++; never in the student's process.
#include <algorithm>
#include <numeric>

#include "labs/problem.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

// Only one order is right, and it has every element of the input exactly once: a key lost and another one twice is
// wrong, though it ascends.
template <class T>
Expected integers(std::span<const T> in) {
    std::vector<T> keys(in.begin(), in.end());
    std::sort(keys.begin(), keys.end());
    Expected expected;
    for (T key : keys) expected.exact.push_back(static_cast<std::uint64_t>(std::int64_t{key}));
    return expected;
}

// Values of equal keys may change places: a quicksort is not stable.
Expected pairs(const Instance& call, std::span<const std::int32_t> in) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(call.n));
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return in[2 * a] < in[2 * b]; });
    Expected expected;
    std::int64_t group = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        std::int32_t key = in[2 * places[i]], value = in[2 * places[i] + 1];
        if (i > 0 && key != in[2 * places[i - 1]]) ++group;
        for (std::int64_t number : {key, value}) expected.exact.push_back(static_cast<std::uint64_t>(number));
        expected.group.insert(expected.group.end(), {Expected::kFixed, group});
    }
    return expected;
}

}  // namespace

std::vector<Expected> quicksort_expect(const Instance& call, std::span<const Array> inputs) {
    const Array& in = inputs[0];
    if (call.variant == "pairs_int32") return {pairs(call, in.as<std::int32_t>())};
    if (call.variant == "int64") return {integers<std::int64_t>(in.as<std::int64_t>())};
    return {integers<std::int32_t>(in.as<std::int32_t>())};
}
