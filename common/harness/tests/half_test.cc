#include "grading/half.h"

#include <gtest/gtest.h>

namespace {

using lab::Half;
using lab::to_double;
using lab::to_half;

TEST(Half, EveryFiniteOneIsWhatItWas) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const Half half{static_cast<std::uint16_t>(bits)};
        const bool is_finite = (bits >> 10 & 31) < 31;
        ASSERT_TRUE(!is_finite || to_half(to_double(half)).bits == bits) << bits;
    }
}

TEST(Half, HasTheValuesOfIts16Bits) {
    EXPECT_EQ(to_double({0x3c00}), 1.0);
    EXPECT_EQ(to_double({0xc500}), -5.0);
    EXPECT_EQ(to_double({0x7bff}), 65504.0);
    EXPECT_EQ(to_double({0x0001}), 0x1p-24);
    EXPECT_EQ(to_double({0x0400}), 0x1p-14);
    EXPECT_TRUE(std::isinf(to_double({0x7c00})));
    EXPECT_TRUE(std::isnan(to_double({0x7e00})));
}

TEST(Half, RoundsToTheNearestAndOfTwoToTheEvenOne) {
    EXPECT_EQ(to_double(to_half(2049)), 2048.0);
    EXPECT_EQ(to_double(to_half(2051)), 2052.0);
    EXPECT_EQ(to_double(to_half(2049.5)), 2050.0);
    EXPECT_EQ(to_half(0x1p-25).bits, 0);
    EXPECT_EQ(to_half(-0x1.8p-25).bits, 0x8001);
    EXPECT_EQ(to_half(65519).bits, 0x7bff);
    EXPECT_EQ(to_half(65520).bits, 0x7c00);
}

}  // namespace
