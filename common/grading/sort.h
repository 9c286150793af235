// Stable sorts by digits, for oracles: a comparison sort of 2^24 keys takes seconds. The labs' tests compare what
// comes of them with std::stable_sort.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace lab {

// Puts unsigned words in ascending order. `places`, if there are as many, go with them.
template <class Word>
void sort_words(std::vector<Word>& words, std::vector<std::uint32_t>& places) {
    static_assert(std::is_unsigned_v<Word>);
    constexpr int kBits = 11;
    constexpr std::size_t kDigits = std::size_t{1} << kBits;
    const std::size_t n = words.size();
    const bool has_places = places.size() == n;
    std::vector<Word> next_words(n);
    std::vector<std::uint32_t> next_places(places.size());
    for (int shift = 0; shift < static_cast<int>(8 * sizeof(Word)); shift += kBits) {
        const auto digit = [&](Word word) { return static_cast<std::size_t>(word >> shift) & (kDigits - 1); };
        std::array<std::size_t, kDigits + 1> first{};
        for (const Word word : words) ++first[digit(word) + 1];
        if (n == 0 || first[digit(words[0]) + 1] == n) continue;  // all alike
        std::partial_sum(first.begin(), first.end(), first.begin());
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t to = first[digit(words[i])]++;
            next_words[to] = words[i];
            if (has_places) next_places[to] = places[i];
        }
        words.swap(next_words);
        places.swap(next_places);
    }
}

// Where each word of the sorted order comes from; fewer than 2^32 words.
template <class Word>
std::vector<std::uint32_t> sorted_places(std::vector<Word> words) {
    std::vector<std::uint32_t> places(words.size());
    std::iota(places.begin(), places.end(), 0u);
    sort_words(words, places);
    return places;
}

// A word for an integer, in the same order.
template <class Integer>
std::make_unsigned_t<Integer> order_word(Integer value) {
    using Word = std::make_unsigned_t<Integer>;
    constexpr Word kSign = std::is_signed_v<Integer> ? Word{1} << (8 * sizeof(Word) - 1) : 0;
    return static_cast<Word>(value) ^ kSign;
}

// Integers in ascending order.
template <class Integer>
void sort_integers(std::vector<Integer>& values) {
    std::vector<std::make_unsigned_t<Integer>> words(values.size());
    std::vector<std::uint32_t> no_places;
    for (std::size_t i = 0; i < values.size(); ++i) words[i] = order_word(values[i]);
    sort_words(words, no_places);
    for (std::size_t i = 0; i < values.size(); ++i)  // the sign flipped twice is as it was
        values[i] = static_cast<Integer>(order_word(static_cast<Integer>(words[i])));
}

}  // namespace lab
