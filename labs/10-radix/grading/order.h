// The order of keys, for lab 10's cases and oracle. Trusted; host C++.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace radix {

template <class Key>
inline constexpr bool kIsKey = std::is_same_v<Key, std::uint32_t> || std::is_same_v<Key, std::int32_t> ||
                               std::is_same_v<Key, float> || std::is_same_v<Key, std::uint64_t>;

template <class Key>
using Word = std::conditional_t<sizeof(Key) == 8, std::uint64_t, std::uint32_t>;

// The unsigned word by which a key is sorted, as radix.h has it.
template <class Key>
Word<Key> order_word(Key key) {
    static_assert(kIsKey<Key>);
    constexpr auto kSign = Word<Key>{1} << (8 * sizeof(Key) - 1);
    const auto bits = std::bit_cast<Word<Key>>(key);
    if constexpr (std::is_same_v<Key, float>) return (bits & kSign) != 0 ? ~bits : bits | kSign;
    if constexpr (std::is_same_v<Key, std::int32_t>) return bits ^ kSign;
    return bits;
}

// And back.
template <class Key>
Key key_of(Word<Key> word) {
    static_assert(kIsKey<Key>);
    constexpr auto kSign = Word<Key>{1} << (8 * sizeof(Key) - 1);
    if constexpr (std::is_same_v<Key, float>) word = (word & kSign) != 0 ? word ^ kSign : ~word;
    if constexpr (std::is_same_v<Key, std::int32_t>) word ^= kSign;
    return std::bit_cast<Key>(word);
}

// The bits that decide.
struct Range {
    int begin, end;
    template <class Key>
    Word<Key> of(Key key) const {
        const Word<Key> above = order_word(key) >> begin;
        const int count = end - begin;
        return count == 8 * static_cast<int>(sizeof(Key)) ? above : above & ((Word<Key>{1} << count) - 1);
    }
};

}  // namespace radix
