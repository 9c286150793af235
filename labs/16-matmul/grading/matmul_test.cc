// Lab 16's tests: every task, variant and public size, and what is particular to products of matrices.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/lab_test.h"

lab::Lab matmul_lab();

namespace {

using lab::Instance;
using lab::testing::Case;

class Matmul : public lab::testing::LabTest {};

TEST_P(Matmul, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Matmul, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

class MatmulInAnyOrder : public lab::testing::LabTest {};

TEST_P(MatmulInAnyOrder, IsRightInEverySchedule) {
    for (std::uint64_t schedule = 1; schedule <= 5; ++schedule) run(GetParam(), schedule);
}

// One call of each task and variant.
std::vector<Instance> cases_of(std::int64_t n, std::uint64_t seed) {
    std::vector<Instance> cases;
    for (const lab::Task& task : matmul_lab().tasks) {
        const auto variants = task.variants.empty() ? std::vector<std::string>{""} : task.variants;
        for (const std::string& variant : variants) cases.push_back({task.name, variant, n, seed});
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Tasks, MatmulInAnyOrder, testing::ValuesIn(cases_of(5'000, 1)), lab::testing::name_of_case);

struct Sides {
    std::int64_t rows, columns, inner;
};

TEST_F(Matmul, IsRightForEveryShape) {
    const Sides shapes[] = {{1, 1, 1},   {1, 300, 7},    {300, 1, 64},   {2, 3, 0},   {129, 127, 1},
                            {17, 33, 9}, {128, 128, 16}, {130, 132, 40}, {4, 8, 999}, {16, 16, 17}};
    for (const auto& [rows, columns, inner] : shapes)
        for (Instance call : cases_of(rows * columns, 1)) {
            call.scalars = {{"columns", columns}, {"inner", inner}};
            run(call);
        }
}

TEST_F(Matmul, WritesNothingIfCHasNoElements) {
    for (const std::int64_t rows : {0, 7})
        for (const std::int64_t columns : {0, 5})
            for (const std::int64_t inner : {0, 3})
                for (Instance call : cases_of(0, 1))
                    if (rows * columns == 0) {
                        call.scalars = {{"rows", rows}, {"columns", columns}, {"inner", inner}};
                        run(call);
                    }
}

// ---- Inputs and answers, without a device ----

TEST(MatmulData, PlainCpuVersionAgreesWithTheOracle) {
    for (const std::int64_t n : {0, 1, 2, 5, 31, 3'000})
        for (std::uint64_t seed = 0; seed < 6; ++seed)
            for (const Instance& one : cases_of(n, seed))
                EXPECT_EQ(Case(one).wrong(), "") << testing::PrintToString(one);
}

TEST(MatmulData, TwoByThreeIsWhatTheContractShows) {
    Case c({"naive", "", 6, 1, {{"columns", 3}, {"inner", 2}}});
    std::ranges::copy(std::vector<float>{1, 2, 3, 4}, c.inputs[0].as<float>().begin());
    std::ranges::copy(std::vector<float>{5, 6, 7, 8, 9, 10}, c.inputs[1].as<float>().begin());
    c.answer();
    EXPECT_EQ(c.expected[0].value, (std::vector<double>{21, 24, 27, 47, 54, 61}));
    EXPECT_EQ(c.expected[0].tolerance, std::vector<double>(6, 0.0));  // small whole numbers
}

TEST(MatmulData, OrdersSayWhereHalvesLie) {
    Case c({"mixed", "columns_columns", 6, 1, {{"columns", 3}, {"inner", 2}}});
    const std::vector<double> a = {1, 3, 2, 4}, b = {5, 8, 6, 9, 7, 10};
    for (std::size_t i = 0; i < a.size(); ++i) c.inputs[0].as<lab::Half>()[i] = lab::to_half(a[i]);
    for (std::size_t i = 0; i < b.size(); ++i) c.inputs[1].as<lab::Half>()[i] = lab::to_half(b[i]);
    c.answer();
    EXPECT_EQ(c.expected[0].value, (std::vector<double>{21, 24, 27, 47, 54, 61}));
}

TEST(MatmulOracle, RejectsAMissingProductAndASumInHalf) {
    for (std::uint64_t seed = 1; seed < 40; ++seed) {
        Case c({"tensor_cores", "rows_rows", 100, seed, {{"columns", 10}, {"inner", 1'000}}});
        ASSERT_TRUE(c.is_right());
        const auto out = c.outputs[0].as<float>();
        const auto a = c.inputs[0].as<lab::Half>(), b = c.inputs[1].as<lab::Half>();
        const double lost = lab::to_double(a[999]) * lab::to_double(b[9'990]);  // the last product of element 0
        const float right = out[0];
        const bool is_large =
            std::ranges::all_of(a, [](lab::Half one) { return std::fabs(lab::to_double(one)) >= 0.5; });
        out[0] -= static_cast<float>(lost);
        if (is_large) {
            EXPECT_FALSE(c.is_right()) << seed;
        }
        out[0] = right;
        // A sum in half, term by term.
        double sum = 0;
        for (std::size_t k = 0; k < 1'000; ++k)
            sum = lab::to_double(lab::to_half(sum + lab::to_double(a[k]) * lab::to_double(b[k * 10])));
        out[0] = static_cast<float>(sum);
        if (std::fabs(sum - static_cast<double>(right)) > 0.25) {
            EXPECT_FALSE(c.is_right()) << seed;
        }
    }
}

TEST(MatmulCases, ShapesDifferFromSeedToSeedButForTimes) {
    std::set<std::int64_t> columns, inners;
    const lab::Lab lab = matmul_lab();
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const Instance call = lab.complete({"mixed", "rows_rows", 5'000, seed});
        columns.insert(call.scalar("columns"));
        inners.insert(call.scalar("inner"));
        EXPECT_LE(call.scalar("rows") * call.scalar("columns"), 5'000);
        EXPECT_EQ(lab.complete({"tile", "", 1 << 16, seed}).scalar("inner"), 256);
        EXPECT_EQ(lab.complete({"mixed", "rows_rows", 1 << 22, seed}).scalar("inner"), 2048);
        EXPECT_EQ(lab.complete({"occupancy", "", 1 << 14, seed}).scalar("inner"), 1024);
        EXPECT_EQ(lab.complete({"occupancy", "", 1 << 18, seed}).scalar("inner"), 4096);
        EXPECT_EQ(lab.complete({"naive", "", 5, seed}).scalar("inner"), 0);
        EXPECT_EQ(lab.complete({"naive", "", 100'000, seed}).scalar("inner"), 20);
    }
    EXPECT_TRUE(columns.contains(1));
    EXPECT_TRUE(columns.contains(5'000));
    EXPECT_TRUE(inners.contains(0));
    EXPECT_GT(columns.size(), 30);
    EXPECT_GT(inners.size(), 30);
}

TEST(MatmulCases, WrongShapesAreNamed) {
    const lab::Lab lab = matmul_lab();
    EXPECT_THROW(lab.complete({"naive", "", 1 << 20, 1, {{"columns", 1}}}), std::invalid_argument);
    EXPECT_THROW(lab.complete({"naive", "", 1 << 24, 1, {{"inner", 60'000}}}), std::invalid_argument);
}

TEST(MatmulFiles, SidesFollowFromTheNumbersOfElements) {
    const lab::Lab lab = matmul_lab();
    const auto sides = [&](std::size_t count_a, std::size_t count_b, lab::Scalars scalars) {
        Instance call{"naive", "", 0, 0, std::move(scalars)};
        const lab::Array given[] = {{{"d_a", lab::DType::f32, count_a}, nullptr},
                                    {{"d_b", lab::DType::f32, count_b}, nullptr}};
        lab.from_arrays(call, given);
        return std::vector<std::int64_t>{call.n, call.scalar("rows"), call.scalar("columns"), call.scalar("inner")};
    };
    EXPECT_EQ(sides(9, 9, {}), (std::vector<std::int64_t>{9, 3, 3, 3}));
    EXPECT_EQ(sides(6, 8, {{"inner", 2}}), (std::vector<std::int64_t>{12, 3, 4, 2}));
    EXPECT_THROW(sides(6, 8, {}), std::invalid_argument);
    EXPECT_THROW(sides(6, 8, {{"inner", 4}}), std::invalid_argument);
}

}  // namespace
