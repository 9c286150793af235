// Lab 10's tests: every task, variant and public size, and what is particular to a radix sort.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "grading/compare.h"
#include "grading/order.h"
#include "harness/lab_test.h"

lab::Lab radix_lab();

namespace {

using lab::Array;
using lab::Instance;
using lab::testing::Case;

class Radix : public lab::testing::LabTest {};

TEST_P(Radix, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Radix, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

std::vector<Instance> cases_of_size(std::int64_t n, std::uint64_t seed) {
    std::vector<Instance> cases;
    for (const lab::Task& task : radix_lab().tasks)
        for (const std::string& variant : task.variants) cases.push_back({task.name, variant, n, seed});
    return cases;
}

// How far a tile looks back depends on the order of blocks; the ranks within a tile must not depend on that of warps.
class RadixInAnyOrder : public lab::testing::LabTest {};

TEST_P(RadixInAnyOrder, IsRightInEverySchedule) {
    for (std::uint64_t schedule = 1; schedule <= 4; ++schedule) run(GetParam(), schedule);
}

INSTANTIATE_TEST_SUITE_P(Tasks, RadixInAnyOrder, testing::ValuesIn(cases_of_size(20'001, 1)),
                         lab::testing::name_of_case);

// Every task must be right for every kind of key and any bits. At this size the last row, warp and tile are only
// partly filled.
class RadixOfAnyInput : public lab::testing::LabTest {};

TEST_P(RadixOfAnyInput, IsRight) {
    for (std::uint64_t seed = 0; seed < 14; ++seed) {  // each of the seven kinds twice
        Instance call = GetParam();
        call.seed = seed;
        run(call);
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, RadixOfAnyInput, testing::ValuesIn(cases_of_size(4096 + 300, 0)),
                         lab::testing::name_of_case);

// From 1 bit up: an odd number of passes and an even one, last digits of every width.
class RadixOfFewBits : public lab::testing::LabTest {};

TEST_P(RadixOfFewBits, IsRight) {
    for (std::int64_t bits = 1; bits <= 17; ++bits) {
        Instance call = GetParam();
        if (call.task == "by_index") continue;  // always by the whole key
        const std::int64_t begin = call.variant == "r8_packed" ? 32 : 3;
        call.scalars = {{"begin", begin}, {"end", begin + bits}};
        run(call);
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, RadixOfFewBits, testing::ValuesIn(cases_of_size(1000, 0)), lab::testing::name_of_case);

// ---- Inputs and answers, without a device ----

class RadixData : public testing::TestWithParam<Instance> {};

// The plain version is std::stable_sort, the oracle a counting sort.
TEST_P(RadixData, PlainCpuVersionAgreesWithTheOracle) {
    lab::testing::expect_cpu_is_right(GetParam(), 28, {0, 1, 2, 1000, 20'001});
}

INSTANTIATE_TEST_SUITE_P(Tasks, RadixData, testing::ValuesIn(cases_of_size(0, 0)), lab::testing::name_of_case);

TEST(RadixOracle, RejectsWhatIsNotRight) {
    Case keys({"digit", "r8_uint32", 1000, 0});
    ASSERT_TRUE(keys.is_right());
    std::swap(keys.outputs[0].as<std::uint32_t>()[10], keys.outputs[0].as<std::uint32_t>()[11]);
    EXPECT_FALSE(keys.is_right()) << "order";

    Case lost({"digit", "r8_uint32", 1000, 0});
    lost.outputs[0].as<std::uint32_t>()[10] = lost.outputs[0].as<std::uint32_t>()[11];
    EXPECT_FALSE(lost.is_right()) << "ascending, but one key twice and one not at all";

    Case values({"pairs", "pairs_uint32", 1000, 4 * 7 + 2});  // kind 2 of 7: all keys are equal
    ASSERT_TRUE(values.is_right());
    std::swap(values.outputs[1].as<std::uint32_t>()[10], values.outputs[1].as<std::uint32_t>()[11]);
    EXPECT_FALSE(values.is_right()) << "stability: values of equal keys";

    Case payload({"by_index", "record_uint32", 1000, 0});
    ASSERT_TRUE(payload.is_right());
    ++payload.outputs[0].as<std::uint32_t>()[8 * 10 + 7];
    EXPECT_FALSE(payload.is_right()) << "payload";
}

TEST(RadixOrder, WordsAscendAsTheKeysDo) {
    constexpr auto kLimits = std::numeric_limits<float>();
    const std::vector<float> floats = {
        -kLimits.quiet_NaN(), -INFINITY, -2, -1,       -kLimits.denorm_min(), -0.0f, 0.0f,
        kLimits.denorm_min(), 1,         2,  INFINITY, kLimits.quiet_NaN()};
    const std::vector<std::int32_t> ints = {INT32_MIN, INT32_MIN + 1, -2, -1, 0, 1, 2, INT32_MAX};
    auto check = [](const auto& keys) {
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto word = radix::order_word(keys[i]);
            if (i > 0) {
                EXPECT_LT(radix::order_word(keys[i - 1]), word) << keys[i];
            }
            EXPECT_EQ(radix::order_word(radix::key_of<typename std::decay_t<decltype(keys)>::value_type>(word)), word);
        }
    };
    check(floats);
    check(ints);
    EXPECT_EQ(radix::order_word(INT32_MIN), 0u);
    EXPECT_EQ(radix::order_word(INT32_MAX), 0xffffffffu);
}

TEST(RadixOracle, MinusZeroComesFirst) {
    Instance call = radix_lab().complete({"pairs", "pairs_float32", 4, 0});
    std::vector<float> keys = {0.0f, -0.0f, NAN, -INFINITY};
    std::vector<std::uint32_t> values = {0, 1, 2, 3};
    const lab::Shape shape = radix_lab().shape(call);
    const std::vector<Array> inputs = {{shape.inputs[0], keys.data()}, {shape.inputs[1], values.data()}};
    const std::vector<lab::Expected> right = lab::testing::expect(call, inputs);
    EXPECT_EQ(right[1].exact, (std::vector<std::uint64_t>{3, 1, 0, 2}));
    std::vector<float> sorted = {-INFINITY, -0.0f, 0.0f, NAN};
    const auto is_right = [&] { return lab::compare(right[0], shape.outputs[0], sorted.data()).ok(); };
    EXPECT_TRUE(is_right());
    sorted[1] = 0.0f;
    EXPECT_FALSE(is_right()) << "a zero has lost its sign";
    sorted[1] = -0.0f, sorted[3] = -NAN;
    EXPECT_FALSE(is_right()) << "another NaN";
}

TEST(RadixData, SeedsReachEveryKindOfKeysAndBits) {
    std::map<std::int64_t, int> parities;
    std::set<std::int64_t> begins;
    int equal = 0, ascending = 0, descending = 0, few = 0;
    for (std::uint64_t seed = 1; seed <= 140; ++seed) {
        Case c({"pairs", "pairs_uint32", 500, seed});
        ++parities[(c.call.scalar("end") - c.call.scalar("begin")) % 2];
        begins.insert(c.call.scalar("begin"));
        const std::span<std::uint32_t> keys = c.inputs[0].as<std::uint32_t>();
        const std::size_t distinct = std::set<std::uint32_t>(keys.begin(), keys.end()).size();
        equal += distinct == 1 ? 1 : 0;
        few += distinct == 5 ? 1 : 0;
        ascending += distinct > 256 && std::ranges::is_sorted(keys) ? 1 : 0;
        descending += distinct > 256 && std::ranges::is_sorted(keys, std::greater<>{}) ? 1 : 0;
    }
    EXPECT_GE(parities[1], 20);
    EXPECT_GE(parities[0], 60);
    EXPECT_GE(begins.size(), 10u);
    EXPECT_EQ(equal, 20);
    EXPECT_EQ(few, 20);
    EXPECT_EQ(ascending, 20);
    EXPECT_EQ(descending, 20);
}

TEST(RadixData, ValuesOfASeedCannotBeGuessed) {
    for (std::uint64_t seed : {0, 5, 6}) {
        Case c({"onesweep", "pairs_int32", 5000, seed});
        const std::span<std::uint32_t> values = c.inputs[1].as<std::uint32_t>();
        EXPECT_GT(std::set<std::uint32_t>(values.begin(), values.end()).size(), 4990u);
        std::set<std::uint32_t> steps;
        for (std::size_t i = 1; i < values.size(); ++i) steps.insert(values[i] - values[i - 1]);
        EXPECT_EQ(values[17] == 17, seed == 0) << "with seed 0 they are places";
        EXPECT_EQ(steps.size() == 1, seed == 0) << "two values tell the others";
    }
}

// Times compare only if the same bits of the same kind of keys are sorted, whatever the seed.
TEST(RadixData, SizesThatAreTimedAreRandomKeysByAllBits) {
    for (std::uint64_t seed = 1; seed < 8; ++seed) {
        Case c({"digit", "r8_uint32", 1 << 16, seed});
        EXPECT_EQ(c.call.scalar("begin"), 0);
        EXPECT_EQ(c.call.scalar("end"), 32);
        const std::span<std::uint32_t> keys = c.inputs[0].as<std::uint32_t>();
        EXPECT_GT(std::set<std::uint32_t>(keys.begin(), keys.end()).size(), 65000u) << "seed " << seed;
        EXPECT_EQ(c.shape.bytes, 2.0 * 4 * (1 << 16));
    }
}

TEST(RadixData, BitsHaveToGoTogether) {
    auto complete = [](const std::string& task, const std::string& variant, lab::Scalars scalars) {
        return radix_lab().complete({task, variant, 10, 0, std::move(scalars)});
    };
    EXPECT_THROW(complete("digit", "r8_uint32", {{"begin", 8}, {"end", 8}}), std::invalid_argument);
    EXPECT_THROW(complete("digit", "r8_uint32", {{"end", 33}}), std::invalid_argument);
    EXPECT_THROW(complete("by_index", "record_uint32", {{"end", 8}}), std::invalid_argument);
    EXPECT_EQ(complete("pairs", "pairs_uint64", {{"end", 33}}).scalar("begin"), 0);
    EXPECT_EQ(complete("digit", "r8_packed", {}).scalar("begin"), 32);
}

}  // namespace
