// Lab 4's tests: every task, variant and public size, and what is particular to compact.
#include <algorithm>
#include <cmath>
#include <map>

#include "harness/lab_test.h"

lab::Lab compact_lab();

namespace {

using lab::Instance;
using lab::testing::Case;

class Compact : public lab::testing::LabTest {};

TEST_P(Compact, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Compact, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

// Only how far a tile looks back may depend on the order in which blocks run. The size of large_cases() gives look_back
// more than 32 tiles, so that some of them look back twice.
class CompactInAnyOrder : public lab::testing::LabTest {};

TEST_P(CompactInAnyOrder, IsRightInEverySchedule) {
    for (std::uint64_t schedule = 1; schedule <= 5; ++schedule) run(GetParam(), schedule);
}

std::vector<Instance> large_cases() {
    std::vector<Instance> cases;
    for (const lab::Task& task : compact_lab().tasks) {
        std::int64_t n = task.name == "look_back" ? 500'001 : 40'001;
        for (const std::string& variant : task.variants) cases.push_back({task.name, variant, n, 1});
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Tasks, CompactInAnyOrder, testing::ValuesIn(large_cases()), lab::testing::name_of_case);

// Every task must be right for every kind of input. The last row, warp and tile are only partly filled: the reference's
// look_back has tiles of 8192 ints.
class CompactOfAnyInput : public lab::testing::LabTest {};

TEST_P(CompactOfAnyInput, IsRight) {
    for (std::uint64_t seed = 0; seed < 14; ++seed) {  // each of the seven kinds twice
        Instance call = GetParam();
        call.n = 8192 + 300;
        call.seed = seed;
        run(call);
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, CompactOfAnyInput, testing::ValuesIn(large_cases()), lab::testing::name_of_case);

// ---- Inputs and answers, without a device ----

std::int32_t& count_of(Case& c) { return c.outputs[1].as<std::int32_t>()[0]; }

class CompactData : public testing::TestWithParam<Instance> {};

TEST_P(CompactData, PlainCpuVersionAgreesWithTheOracle) {
    lab::testing::expect_cpu_is_right(GetParam(), 14, {0, 1, 52, 40'001});
}

INSTANTIATE_TEST_SUITE_P(Tasks, CompactData, testing::ValuesIn(large_cases()), lab::testing::name_of_case);

TEST(CompactOracle, RejectsWhatIsNotRight) {
    Case swapped({"fused", "positive_int32", 1000, 0});
    ASSERT_TRUE(swapped.is_right());
    std::swap(swapped.outputs[0].as<std::int32_t>()[10], swapped.outputs[0].as<std::int32_t>()[11]);
    EXPECT_FALSE(swapped.is_right()) << "order";

    Case after({"fused", "positive_int32", 1000, 0});
    after.outputs[0].as<std::int32_t>()[count_of(after)] = 0;
    EXPECT_FALSE(after.is_right()) << "written after the last kept element";

    Case counted({"fused", "positive_int32", 1000, 0});
    ++count_of(counted);
    EXPECT_FALSE(counted.is_right()) << "count";

    Case rounded({"fused", "above_float32", 1000, 0});
    rounded.outputs[0].as<float>()[5] = std::nextafter(rounded.outputs[0].as<float>()[5], 0.0f);
    EXPECT_FALSE(rounded.is_right()) << "a copy has the same bits";
}

TEST(CompactData, ADeckHas13Diamonds) {
    Case deck({"three_kernels", "diamonds_uint8", 52, 0});
    EXPECT_EQ(count_of(deck), 13);
    auto cards = deck.inputs[0].as<std::uint8_t>();
    EXPECT_FALSE(std::is_sorted(cards.begin(), cards.end())) << "shuffled";
    std::sort(cards.begin(), cards.end());
    for (int i = 0; i < 52; ++i) EXPECT_EQ(cards[i], i);
}

TEST(CompactData, SeedsReachEveryKindOfInput) {
    constexpr std::int64_t n = 1000;
    std::map<std::int64_t, int> kept;
    int first = 0, last = 0, alternating = 0;
    for (std::uint64_t seed = 0; seed < 140; ++seed) {  // each of the seven kinds 20 times
        Case c({"look_back", "positive_int32", n, seed});
        auto in = c.inputs[0].as<std::int32_t>();
        ++kept[count_of(c)];
        first += count_of(c) == 1 && in[0] > 0 ? 1 : 0;
        last += count_of(c) == 1 && in[n - 1] > 0 ? 1 : 0;
        bool alternates = true;
        for (std::int64_t i = 1; i < n; ++i) alternates = alternates && (in[i] > 0) != (in[i - 1] > 0);
        alternating += alternates ? 1 : 0;
    }
    EXPECT_EQ(kept[0], 20);
    EXPECT_EQ(kept[n], 20);
    EXPECT_EQ(kept[1], 20);
    EXPECT_EQ(alternating, 20);
    EXPECT_GE(first, 3);
    EXPECT_GE(last, 3);
    EXPECT_GE(kept.size(), 40u) << "and many counts between";
}

TEST(CompactData, PredicatesMeetTheEndsOfTheirRange) {
    Case ints({"fused", "positive_int32", 2000, 0});
    auto in = ints.inputs[0].as<std::int32_t>();
    for (std::int32_t value : {0, 1, INT32_MIN, INT32_MAX}) EXPECT_TRUE(std::ranges::count(in, value) > 0) << value;

    Case floats({"fused", "above_float32", 2000, 0});
    auto numbers = floats.inputs[0].as<float>();
    EXPECT_TRUE(std::ranges::any_of(numbers, [](float x) { return std::isnan(x); }));
    for (float value : {INFINITY, -INFINITY, -0.5f, 0.0f}) EXPECT_TRUE(std::ranges::count(numbers, value) > 0) << value;

    Case longs({"look_back", "even_int64", 2000, 0});
    auto values = longs.inputs[0].as<std::int64_t>();
    EXPECT_TRUE(std::ranges::any_of(values, [](std::int64_t x) { return x % 2 == -1; })) << "negative and odd";
}

// Times compare only if as much is kept, whatever the seed.
TEST(CompactData, SizesThatAreTimedKeepHalf) {
    for (std::uint64_t seed = 0; seed < 7; ++seed) {
        Case c({"look_back", "positive_int32", 1 << 20, seed});
        EXPECT_NEAR(count_of(c), 1 << 19, 1 << 12) << "seed " << seed;
        EXPECT_EQ(c.shape.bytes, 1.5 * 4 * (1 << 20) + 4);
    }
}

}  // namespace
