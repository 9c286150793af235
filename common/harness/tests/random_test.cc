#include "grading/random.h"

#include <gtest/gtest.h>

#include <array>

namespace {

using lab::Random;

// These numbers are what every report names by its seed: they must never change.
TEST(Random, GivesTheSameNumbersForEver) {
    Random random(7);
    EXPECT_EQ(random.bits(), 13309476754707697221U);
    EXPECT_EQ(random.bits(), 11984929618412882174U);
    EXPECT_EQ(Random(7, "flags").bits(), 10331448197567584024U);
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
