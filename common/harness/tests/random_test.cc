#include "grading/random.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace {

using lab::ChaCha8;
using lab::Random;

// Bytes as hexadecimal digits, lower addresses first.
std::string hex(const std::uint64_t* words, std::size_t count) {
    std::string text;
    for (std::size_t byte = 0; byte < 8 * count; ++byte) {
        const auto value = static_cast<unsigned>(words[byte / 8] >> (8 * (byte % 8)) & 0xff);
        for (const unsigned digit : {value >> 4, value & 15}) text += "0123456789abcdef"[digit];
    }
    return text;
}

struct Vector {
    std::array<std::uint32_t, 8> key;
    std::vector<std::string> blocks;  // the first of the key stream
};

// Keys of 256 bits, 8 rounds, nonce 0: Strombergson, Test vectors for the stream cipher ChaCha
// (draft-strombergson-chacha-test-vectors), TC1 and TC2.
const std::vector<Vector> kPublished = {
    {{},
     {"3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
      "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42",
      "d2aefa0deaa5c151bf0adb6c01f2a5adc0fd581259f9a2aadcf20f8fd566a26b"
      "5032ec38bbc5da98ee0c6f568b872a65a08abf251deb21bb4b56e5d8821e68aa"}},
    {{1},
     {"cf5ee9a0494aa9613e05d5ed725b804b12f4a465ee635acc3a311de8740489ea"
      "289d04f43c7518db56eb4433e498a1238cd8464d3763ddbb9222ee3bd8fae3c8"}},
};

TEST(ChaCha8, GivesThePublishedKeyStreams) {
    for (const Vector& vector : kPublished) {
        const ChaCha8 cipher{vector.key};
        std::array<std::uint64_t, ChaCha8::kBatch> words;
        cipher.batch(0, words.data());
        for (std::size_t block = 0; block < vector.blocks.size(); ++block)
            EXPECT_EQ(hex(words.data() + block * ChaCha8::kWords, ChaCha8::kWords), vector.blocks[block]);
    }
}

TEST(ChaCha8, AWordNeedsNoBatch) {
    const ChaCha8 cipher{{1, 2, 3, 4, 5, 6, 7, 8}};
    std::array<std::uint64_t, ChaCha8::kBatch> words;
    const std::uint64_t far = std::uint64_t{1} << 40;  // the counter of its blocks has more than 32 bits
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{7}, far, far - 1}) {
        cipher.batch(number, words.data());
        for (std::size_t i = 0; i < words.size(); ++i)
            ASSERT_EQ(cipher.word(number * words.size() + i), words[i]) << number << " " << i;
    }
}

// These numbers are what every report names by its seed: they must never change.
TEST(Random, GivesTheSameNumbersForEver) {
    Random random(7);
    EXPECT_EQ(random.bits(), 14095323943061994099U);
    EXPECT_EQ(random.bits(), 8595031940432502117U);
    EXPECT_EQ(Random(7, "flags").bits(), 13603108693055093820U);
}

// The generator before this one was a bijection of seed and place, so that one element gave all the others.
TEST(Random, IsACipherWhoseKeyIsSeedAndStream) {
    Random random(0x0123456789abcdef, "key");
    const ChaCha8 cipher{{0x89abcdef, 0x01234567, 'k' | 'e' << 8 | 'y' << 16}};
    for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(random.bits(), cipher.word(i));
}

TEST(Random, NamesOfStreamsHaveALimit) {
    EXPECT_NE(Random(1, std::string(24, 'a')).bits(), Random(1, std::string(23, 'a')).bits());
    EXPECT_THROW(Random(1, std::string(25, 'a')), std::length_error);
}

TEST(Random, PlacesAreThoseOfTheSequence) {
    Random random(3);
    const Random same(3);
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(random.bits(), same.bits_at(i));
}

TEST(Random, SeedsAndStreamsDiffer) {
    EXPECT_NE(Random(1).bits(), Random(2).bits());
    EXPECT_NE(Random(1, "a").bits(), Random(1, "b").bits());
    EXPECT_NE(Random(1, "ab").bits(), Random(1, "ba").bits());
}

TEST(Random, StaysInRangeAndReachesItsEnds) {
    Random random(1);
    std::array<int, 7> seen{};
    for (int i = 0; i < 7000; ++i) ++seen[static_cast<std::size_t>(random.between(-3, 3) + 3)];
    for (const int count : seen) EXPECT_NEAR(count, 1000, 150);
    for (int i = 0; i < 1000; ++i) {
        const double x = random.unit();
        EXPECT_GE(x, 0);
        EXPECT_LT(x, 1);
        EXPECT_EQ(random.below(1), 0U);
    }
    EXPECT_LE(random.between(INT64_MIN / 2, INT64_MAX / 2), INT64_MAX / 2);
}

}  // namespace
