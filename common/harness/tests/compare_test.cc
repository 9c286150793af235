#include "grading/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "grading/error_bound.h"

namespace {

using lab::Comparison;
using lab::DType;
using lab::Expected;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Comparison compare_floats(const std::vector<double>& right, const std::vector<float>& got, double tolerance) {
    const Expected expected{{}, right, std::vector<double>(right.size(), tolerance)};
    return lab::compare(expected, {"d_out", DType::f32, got.size()}, got.data());
}

TEST(Compare, NanPassesOnlyWhereItIsExpected) {
    EXPECT_FALSE(compare_floats({1}, {kNan}, 1e30).ok());
    EXPECT_FALSE(compare_floats({kNan}, {1}, 1e30).ok());
    EXPECT_TRUE(compare_floats({kNan}, {kNan}, 0).ok());
    EXPECT_FALSE(compare_floats({kInf}, {kNan}, 1e30).ok());
}

TEST(Compare, InfinitiesMustHaveTheirSign) {
    EXPECT_TRUE(compare_floats({kInf, -kInf}, {kInf, -kInf}, 0).ok());
    EXPECT_EQ(compare_floats({kInf, -kInf}, {-kInf, kInf}, 1e30).wrong, 2U);
    EXPECT_FALSE(compare_floats({kInf}, {3e38F}, 1e30).ok());
    EXPECT_FALSE(compare_floats({1}, {kInf}, 1e30).ok());
}

TEST(Compare, CopiesOfFloatsAgreeBitForBit) {
    Expected copies;
    for (const float x : {0.0F, -0.0F, kNan, -kNan}) copies.exact.push_back(lab::bits_of(x));
    const auto wrong = [&](std::vector<float> got) {
        return lab::compare(copies, {"d_out", DType::f32, got.size()}, got.data()).wrong;
    };
    EXPECT_EQ(wrong({0.0F, -0.0F, kNan, -kNan}), 0U);
    EXPECT_EQ(wrong({-0.0F, 0.0F, -kNan, kNan}), 4U);
}

TEST(Compare, ANanToleranceLetsNothingPass) { EXPECT_FALSE(compare_floats({1}, {1}, kNan).ok()); }

TEST(Compare, ToleranceIsInclusive) {
    EXPECT_TRUE(compare_floats({1}, {1.5F}, 0.5).ok());
    EXPECT_FALSE(compare_floats({1}, {1.5F}, 0.49).ok());
    const Comparison c = compare_floats({1, 1, 1}, {1.25F, 2, 1}, 0.5);
    EXPECT_EQ(c.first, 1);
    EXPECT_EQ(c.worst_error, 1);
    EXPECT_EQ(c.tolerance_there, 0.5);
}

// Two runs of equal keys, 5 5 5 and 6 6, with values that may change places within them.
Expected pairs_in_groups() {
    Expected expected;
    expected.exact = {5, 10, 5, 11, 5, 12, 6, 20, 6, 21};
    for (const std::int64_t group : {0, 0, 0, 1, 1})
        expected.group.insert(expected.group.end(), {Expected::kFixed, group});
    return expected;
}

TEST(Compare, AGroupMayComeInAnyOrder) {
    const std::vector<std::int32_t> got = {5, 12, 5, 10, 5, 11, 6, 21, 6, 20};
    EXPECT_TRUE(lab::compare(pairs_in_groups(), {"d_out", DType::i32, 10}, got.data()).ok());
}

TEST(Compare, NothingOfAGroupMayBeLostOrComeFromAnother) {
    const std::vector<std::int32_t> twice = {5, 11, 5, 11, 5, 12, 6, 20, 6, 21};
    std::vector<std::uint8_t> flags(10);
    const Comparison c = lab::compare(pairs_in_groups(), {"d_out", DType::i32, 10}, twice.data(), flags.data());
    EXPECT_EQ(flags, (std::vector<std::uint8_t>{0, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(c.examples.at(0).expected, "10") << "the one that is missing";

    const std::vector<std::int32_t> moved = {5, 10, 5, 11, 5, 20, 6, 12, 6, 21};
    EXPECT_EQ(lab::compare(pairs_in_groups(), {"d_out", DType::i32, 10}, moved.data()).wrong, 2U);
}

TEST(Compare, GroupsAreOfIntegersAndFitTheirElements) {
    Expected expected = pairs_in_groups();
    expected.group.pop_back();
    const std::vector<std::int32_t> got(10);
    EXPECT_THROW(lab::compare(expected, {"d_out", DType::i32, 10}, got.data()), std::logic_error);
    Expected floats{{}, {1, 2}, {0, 0}};
    floats.group = {0, 0};
    EXPECT_THROW(lab::compare(floats, {"d_out", DType::f32, 2}, std::vector<float>(2).data()), std::logic_error);
}

TEST(Compare, IntegersAreExact) {
    const std::vector<std::int64_t> got = {std::numeric_limits<std::int64_t>::min(), -1, 5};
    Expected expected;
    for (const std::int64_t x : got) expected.exact.push_back(static_cast<std::uint64_t>(x));
    EXPECT_TRUE(lab::compare(expected, {"d_out", DType::i64, 3}, got.data()).ok());
    expected.exact[1] = 0xffffffffU;  // -1 of 32 bits is none of 64
    std::vector<std::uint8_t> flags(3, 9);
    const Comparison c = lab::compare(expected, {"d_out", DType::i64, 3}, got.data(), flags.data());
    EXPECT_EQ(c.wrong, 1U);
    EXPECT_EQ(c.first, 1);
    EXPECT_EQ(flags, (std::vector<std::uint8_t>{0, 1, 0}));
    EXPECT_EQ(lab::describe(c, {"d_out", DType::i64, 3}), "d_out: 1 of 3 values wrong; [1] is -1, expected 4294967295");
}

TEST(Compare, RefusesAnAnswerOfAnotherSize) {
    const int got[2] = {};
    EXPECT_THROW(lab::compare({}, {"d_out", DType::i32, 2}, got), std::logic_error);
    EXPECT_TRUE(lab::compare({}, {"d_out", DType::i32, 0}, nullptr).ok());
}

// Two elements count, of four; the output was full of 0x5b before.
Comparison compare_rest(Expected::Rest rest, const std::vector<std::int32_t>& got, std::optional<std::uint8_t> poison) {
    const Expected expected{{7, 8}, {}, {}, rest};
    return lab::compare(expected, {"d_out", DType::i32, got.size()}, got.data(), nullptr, poison);
}

TEST(Compare, WhatLiesPastAResultOfVariableSize) {
    constexpr std::int32_t kUntouched = 0x5b5b5b5b;
    using Rest = Expected::Rest;
    EXPECT_TRUE(compare_rest(Rest::ignored, {7, 8, 9, kUntouched}, 0x5b).ok());
    EXPECT_TRUE(compare_rest(Rest::untouched, {7, 8, kUntouched, kUntouched}, 0x5b).ok());
    const Comparison c = compare_rest(Rest::untouched, {7, 8, kUntouched, 0x5b5b5b00}, 0x5b);
    EXPECT_EQ(c.wrong, 1U);
    EXPECT_EQ(lab::describe(c, {"d_out", DType::i32, 4}),
              "d_out: 1 of 4 values wrong; [3] is 1532713728, expected untouched");
    EXPECT_TRUE(compare_rest(Rest::untouched, {7, 8, 9, 9}, {}).ok()) << "nobody knows what was there";
    EXPECT_EQ(compare_rest(Rest::ignored, {7, 9, 9, 9}, 0x5b).first, 1);
    EXPECT_THROW(compare_rest(Rest::none, {7, 8, 9, 9}, 0x5b), std::logic_error);
    EXPECT_THROW(compare_rest(Rest::ignored, {7}, 0x5b), std::logic_error) << "more than there is room for";
    std::int32_t out[3] = {0, 0, 5};
    lab::write_expected({{7, 8}, {}, {}, Rest::ignored}, {"d_out", DType::i32, 3}, out);
    EXPECT_EQ(out[2], 5) << "the rest stays as it is";
}

TEST(Compare, WritesExpectedValuesInTheOutputsType) {
    const Expected expected{{}, {1.5, 1e300, kNan}, {0, 0, 0}};
    float out[3] = {};
    lab::write_expected(expected, {"d_out", DType::f32, 3}, out);
    EXPECT_EQ(out[0], 1.5F);
    EXPECT_EQ(out[1], kInf);
    EXPECT_TRUE(std::isnan(out[2]));
}

TEST(ErrorBound, FollowsHigham) {
    EXPECT_EQ(lab::unit_roundoff<float>(), 0x1p-24);
    EXPECT_DOUBLE_EQ(lab::gamma<float>(1), 0x1p-24 / (1 - 0x1p-24));
    EXPECT_EQ(lab::gamma<double>(0), 0);
}

}  // namespace
