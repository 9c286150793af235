// The expected output of a sort that need not be stable, for oracles.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grading/problem.h"
#include "grading/sort.h"

namespace lab {

// Pairs of key and value, key first, sorted by key. The values of equal keys may come in any order.
inline Expected sorted_pairs(std::span<const std::int32_t> in) {
    std::vector<std::uint32_t> keys;
    for (std::size_t i = 0; i < in.size(); i += 2) keys.push_back(order_word(in[i]));
    const std::vector<std::uint32_t> places = sorted_places(std::move(keys));
    Expected expected;
    expected.exact.reserve(in.size());
    expected.group.reserve(in.size());
    std::int64_t group = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto key_at = [&](std::size_t k) { return in[2 * std::size_t{places[k]}]; };
        const std::int32_t key = key_at(i), value = in[2 * std::size_t{places[i]} + 1];
        if (i > 0 && key != key_at(i - 1)) ++group;
        expected.exact.insert(expected.exact.end(), {bits_of(key), bits_of(value)});
        expected.group.insert(expected.group.end(), {Expected::kFixed, group});
    }
    return expected;
}

}  // namespace lab
