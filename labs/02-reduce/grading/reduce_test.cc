// Lab 2's tests: every task, variant and public size, and what is particular to reductions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "harness/lab_test.h"

lab::Lab reduce_lab();

namespace {

using lab::Instance;
using lab::testing::Case;

class Reduce : public lab::testing::LabTest {};

TEST_P(Reduce, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Reduce, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

// Every task and variant, where a few blocks meet.
std::vector<Instance> middle_cases() {
    std::vector<Instance> cases;
    for (const lab::Task& task : reduce_lab().tasks) {
        for (const std::string& variant : task.variants) cases.push_back({task.name, variant, 20'001, 2});
    }
    return cases;
}

// The same bits in every order of warps and blocks, floats included.
class ReduceInAnyOrder : public lab::testing::LabTest {};

TEST_P(ReduceInAnyOrder, GivesTheSameBits) {
    const auto first = run(GetParam(), 0).outputs;
    for (std::uint64_t schedule = 1; schedule <= 4; ++schedule) EXPECT_EQ(run(GetParam(), schedule).outputs, first);
}

INSTANTIATE_TEST_SUITE_P(Tasks, ReduceInAnyOrder, testing::ValuesIn(middle_cases()), lab::testing::name_of_case);

// Every kind of input, at every distance from a boundary of 16 bytes (the seed decides both).
class ReduceOfAnyInput : public lab::testing::LabTest {};

TEST_P(ReduceOfAnyInput, GivesWhatTheOracleExpects) {
    for (std::int64_t n : {2, 5, 1000}) {
        for (std::uint64_t seed = 0; seed < 16; ++seed) run({GetParam().task, GetParam().variant, n, seed});
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, ReduceOfAnyInput, testing::ValuesIn(middle_cases()), lab::testing::name_of_case);

// ---- Inputs and answers, without a device ----

constexpr std::uint64_t kSeeds = 16;  // twice every kind of input

bool accepts(const Case& c, float result) {
    c.outputs[0].as<float>()[0] = result;
    return c.is_right();
}

class ReduceData : public testing::TestWithParam<Instance> {};

TEST_P(ReduceData, PlainCpuVersionAgreesWithTheOracle) {
    lab::testing::expect_cpu_is_right(GetParam(), kSeeds, {0, 1, 1000, 20'001});
}

INSTANTIATE_TEST_SUITE_P(Tasks, ReduceData, testing::ValuesIn(middle_cases()), lab::testing::name_of_case);

TEST(ReduceData, ASumOfIntegersMissesEveryElement) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        Case c({"sequential", "sum_int32", 70'000, seed});
        auto in = c.inputs[0].as<std::int32_t>();
        EXPECT_EQ(std::count(in.begin(), in.end(), 0), 0) << "seed " << seed;
        EXPECT_NE(c.expected[0].exact[0], 0U) << "seed " << seed;
    }
}

TEST(ReduceData, SeedsReachWhatMatters) {
    bool past_int32 = false, only_negative = false, only_positive = false;
    std::set<std::size_t> shifts;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        Case c({"vectorized", "sum_int32", 1000, seed});
        auto in = c.inputs[0].as<std::int32_t>();
        const auto sum = static_cast<std::int64_t>(c.expected[0].exact[0]);
        past_int32 |= sum != static_cast<std::int32_t>(sum);
        only_negative |= std::all_of(in.begin(), in.end(), [](int x) { return x < 0; });
        only_positive |= std::all_of(in.begin(), in.end(), [](int x) { return x > 0; });
        shifts.insert(c.shape.inputs[0].shift);
    }
    EXPECT_TRUE(past_int32 && only_negative && only_positive);
    EXPECT_EQ(shifts, (std::set<std::size_t>{0, 1, 2, 3}));
}

// ---- The tolerance of float sums ----

// As a GPU adds: `threads` threads in grid-stride loops, then a tree.
float parallel_sum(std::span<const float> in, std::size_t threads, std::size_t without = SIZE_MAX) {
    std::vector<float> sums(threads);
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (i != without) sums[i % threads] += in[i];
    }
    for (std::size_t half = threads / 2; half > 0; half /= 2) {
        for (std::size_t t = 0; t < half; ++t) sums[t] += sums[t + half];
    }
    return sums[0];
}

TEST(ReduceTolerance, AllowsForRounding) {
    for (std::int64_t n : {1, 1000, 65'537, 1 << 20, (1 << 24) + 1}) {
        for (std::uint64_t seed = 0; seed < (n > 1 << 20 ? 1 : kSeeds); ++seed) {
            Case c({"vectorized", "sum_float32", n, seed});
            for (std::size_t threads : {4096, 1 << 18}) {
                EXPECT_TRUE(accepts(c, parallel_sum(c.inputs[0].as<float>(), threads)))
                    << "n " << n << " seed " << seed;
            }
        }
    }
}

// A result without element i is off by |x[i]| and by what rounding adds; both sides of the interval that is accepted
// lie within the tolerance. So twice the tolerance must be less than the smallest element.
TEST(ReduceTolerance, IsLessThanHalfOfEveryElement) {
    for (std::int64_t n : {2, 33, 1025, 65'537, 65'538, 1'000'003, 1 << 20, 1 << 22, 1 << 24}) {
        for (std::uint64_t seed = 0; seed < (n > 1 << 20 ? 8 : kSeeds); ++seed) {
            Case c({"grid_stride", "sum_float32", n, seed});
            float smallest = std::numeric_limits<float>::infinity();
            for (float x : c.inputs[0].as<float>()) smallest = std::min(smallest, std::fabs(x));
            EXPECT_GT(static_cast<double>(smallest), 2 * c.expected[0].tolerance[0]) << "n " << n << " seed " << seed;
        }
    }
}

TEST(ReduceTolerance, RejectsASumWithoutASingleElementOfAMillion) {
    const std::int64_t n = 1 << 20;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        Case c({"vectorized", "sum_float32", n, seed});
        for (std::int64_t without : {std::int64_t{0}, n / 3, n - 1}) {
            const float sum = parallel_sum(c.inputs[0].as<float>(), 8192, static_cast<std::size_t>(without));
            EXPECT_FALSE(accepts(c, sum)) << "seed " << seed << " without " << without;
        }
    }
}

TEST(ReduceTolerance, SomeInputsRoundAndSomeDoNot) {
    int exact = 0, rounded = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        Case c({"vectorized", "sum_float32", 1025, seed});
        ++(c.expected[0].tolerance[0] == 0 ? exact : rounded);
    }
    EXPECT_GE(exact, 2);
    EXPECT_GE(rounded, 8);
}

TEST(ReduceTolerance, RejectsNaNAndInfinity) {
    Case c({"vectorized", "sum_float32", 1000, 1});
    EXPECT_FALSE(accepts(c, std::numeric_limits<float>::quiet_NaN()));
    EXPECT_FALSE(accepts(c, std::numeric_limits<float>::infinity()));
}

TEST(ReduceTolerance, OfNothingIsTheIdentity) {
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(accepts(Case({"vectorized", "max_float32", 0, 1}), -kInfinite));
    EXPECT_FALSE(accepts(Case({"vectorized", "max_float32", 0, 1}), 0));
    EXPECT_TRUE(accepts(Case({"vectorized", "min_float32", 0, 1}), kInfinite));
    EXPECT_TRUE(accepts(Case({"vectorized", "sum_float32", 0, 1}), 0));
}

}  // namespace
