// The expected output of a sort that need not be stable, for oracles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "grading/problem.h"

namespace lab {

// Pairs of key and value, key first, sorted by key. The values of equal keys may come in any order.
inline Expected sorted_pairs(std::span<const std::int32_t> in) {
    std::vector<std::size_t> places(in.size() / 2);
    std::iota(places.begin(), places.end(), std::size_t{0});
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

}  // namespace lab
