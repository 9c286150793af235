// Lab 6's answers. Trusted; host C++; never in the student's process.
#include <algorithm>
#include <cmath>
#include <vector>

#include "grading/problem.h"
#include "variants.h"

namespace {

using lab::Array;
using lab::Expected;
using lab::Instance;

// Counts the values in each bin and outside, from the places of the bins' borders among the sorted values: bin b has
// the values from border(b) up to border(b + 1). The tasks look at each value by itself; this does not.
template <class T, class Border>
std::vector<std::uint64_t> counts_between(std::vector<T> values, std::int64_t bins, std::size_t nowhere,
                                          Border border) {
    std::sort(values.begin(), values.end());
    const auto values_below = [&](std::int64_t b) {
        return std::lower_bound(values.begin(), values.end(), border(b)) - values.begin();
    };
    std::vector<std::uint64_t> counts;
    auto before = values_below(0);
    const auto first = before;
    for (std::int64_t b = 1; b <= bins; ++b) {
        const auto up_to = values_below(b);
        counts.push_back(static_cast<std::uint64_t>(up_to - before));
        before = up_to;
    }
    counts.push_back(values.size() - static_cast<std::size_t>(before - first) + nowhere);
    return counts;
}

std::vector<std::uint64_t> levels(std::span<const std::uint8_t> in) {
    std::vector<std::uint64_t> counts(257);
    for (const std::uint8_t level : in) ++counts[level];
    return counts;
}

std::vector<std::uint64_t> uniform_ints(const Instance& call, std::span<const std::int32_t> in) {
    const std::int64_t low = call.scalar("low"), high = call.scalar("high"), bins = call.scalar("bins");
    // The first value of bin b: the least x with (x - low) * bins / (high - low) >= b.
    return counts_between(std::vector<std::int64_t>(in.begin(), in.end()), bins, 0,
                          [&](std::int64_t b) { return low + ((high - low) * b + bins - 1) / bins; });
}

// The contract defines the bin of a float by these three operations, each rounded once to float.
std::vector<std::uint64_t> uniform_floats(const Instance& call, std::span<const float> in) {
    const auto low = static_cast<float>(call.scalar("low")), high = static_cast<float>(call.scalar("high"));
    const auto bins = static_cast<std::size_t>(call.scalar("bins"));
    const float bins_per_unit = static_cast<float>(bins) / (high - low);
    std::vector<std::uint64_t> counts(bins + 1);
    for (const float value : in) {
        const bool is_inside = low <= value && value < high;
        ++counts[is_inside ? std::min(static_cast<std::size_t>((value - low) * bins_per_unit), bins - 1) : bins];
    }
    return counts;
}

std::vector<std::uint64_t> between_edges(const Instance& call, std::span<const float> in,
                                         std::span<const float> edges) {
    std::vector<float> numbers;
    std::copy_if(in.begin(), in.end(), std::back_inserter(numbers), [](float value) { return !std::isnan(value); });
    const std::size_t nowhere = in.size() - numbers.size();
    return counts_between(std::move(numbers), call.scalar("bins"), nowhere, [&](std::int64_t b) { return edges[b]; });
}

}  // namespace

std::vector<Expected> histogram_expect(const Instance& call, std::span<const Array> inputs) {
    Expected counts;
    const Array& in = inputs[0];
    const histogram::Variant& variant = histogram::variant_of(call);
    switch (variant.bins) {
        case histogram::Bins::levels:
            counts.exact = levels(in.as<std::uint8_t>());
            break;
        case histogram::Bins::uniform:
            counts.exact = variant.dtype == lab::DType::i32 ? uniform_ints(call, in.as<std::int32_t>())
                                                            : uniform_floats(call, in.as<float>());
            break;
        case histogram::Bins::edges:
            counts.exact = between_edges(call, in.as<float>(), inputs[1].as<float>());
            break;
    }
    return {counts};
}
