// Lab 1's tests: every task at every public size, every misalignment, and the odd numbers one by one.
#include <cmath>
#include <cstring>
#include <limits>

#include "harness/lab_test.h"

lab::Lab square_lab();

namespace {

using lab::Instance;
using lab::testing::Outcome;

class Square : public lab::testing::LabTest {};

TEST_P(Square, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Square, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

// ---- Pointers that are not 16-byte aligned ----

class SquareMisaligned : public lab::testing::LabTest {};

TEST_P(SquareMisaligned, IsRightAtEveryShift) {
    bool seen[4] = {};
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        const Outcome outcome = run({"vectorized", "", GetParam().n, seed});
        seen[outcome.shape.inputs[0].shift] = true;
        EXPECT_EQ(outcome.shape.inputs[0].shift, outcome.shape.outputs[0].shift) << "the contract says: equally far";
    }
    EXPECT_TRUE(seen[0] && seen[1] && seen[2] && seen[3]);
}

INSTANTIATE_TEST_SUITE_P(
    Tasks, SquareMisaligned,
    testing::ValuesIn(lab::testing::cases_of("vectorized", std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 1025})),
    lab::testing::name_of_case);

// ---- Inputs and answers, without a device ----

float answer(float x) {
    lab::Array in{{"d_in", lab::DType::f32, 1}, &x};
    const std::vector<lab::Expected> right = lab::testing::expect({"grid", "", 1, 0}, {&in, 1});
    EXPECT_EQ(right.size(), 1U);
    EXPECT_EQ(right[0].tolerance, std::vector<double>{0.0});
    return static_cast<float>(right[0].value[0]);
}

TEST(SquareOracle, TakesNumbersAsTheyAre) {
    using Limits = std::numeric_limits<float>;
    EXPECT_TRUE(std::isnan(answer(Limits::quiet_NaN())));
    EXPECT_EQ(answer(-Limits::infinity()), Limits::infinity());
    EXPECT_EQ(answer(Limits::max()), Limits::infinity());
    EXPECT_EQ(answer(-0x1p+64F), Limits::infinity());
    EXPECT_EQ(answer(-0.0F), 0.0F);
    EXPECT_EQ(answer(Limits::denorm_min()), 0.0F);
    EXPECT_EQ(answer(0x1p-70F), 0x1p-140F) << "a denormal number is not 0";
    EXPECT_EQ(answer(0x1.000002p+0F), 0x1.000004p+0F) << "rounded once, to nearest";
}

TEST(SquareCases, AreTheSameForTheSameSeedOnly) {
    const auto values = [](std::uint64_t seed) {
        std::vector<float> x(1000);
        lab::Array in{{"d_in", lab::DType::f32, x.size()}, x.data()};
        square_lab().generate({"grid", "", 1000, seed}, {&in, 1});
        return x;
    };
    const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;  // NaN and all
    };
    EXPECT_TRUE(same(values(7), values(7)));
    EXPECT_FALSE(same(values(7), values(8)));
}

TEST(SquareCases, HoldTheOddOnes) {
    std::vector<float> x(10'000);
    lab::Array in{{"d_in", lab::DType::f32, x.size()}, x.data()};
    square_lab().generate({"grid", "", 10'000, 1}, {&in, 1});
    int nans = 0, infinities = 0, denormals = 0, negative = 0;
    for (const float value : x) {
        nans += std::isnan(value) ? 1 : 0;
        infinities += std::isinf(value) ? 1 : 0;
        denormals += std::fpclassify(value) == FP_SUBNORMAL ? 1 : 0;
        negative += value < 0 ? 1 : 0;
    }
    EXPECT_GT(nans, 10);
    EXPECT_GT(infinities, 10);
    EXPECT_GT(denormals, 10);
    EXPECT_GT(negative, 1000);
}

}  // namespace
