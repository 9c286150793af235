// Lab 7's tests: every task, variant and public size, and what is particular to sparse matrices.
#include "spmv.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "grading/matrices.h"
#include "harness/lab_test.h"

lab::Lab spmv_lab();

namespace {

using lab::Instance;
using lab::testing::Case;

class Spmv : public lab::testing::LabTest {};

TEST_P(Spmv, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Spmv, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

bool is_product(const std::string& task) {
    return task != "csr_from_dense" && task != "csr_from_coo" && task != "pagerank";
}

std::vector<Instance> middle_cases() {
    std::vector<Instance> cases;
    for (const lab::Task& task : spmv_lab().tasks) {
        const auto variants = task.variants.empty() ? std::vector<std::string>{""} : task.variants;
        for (const std::string& variant : variants) cases.push_back({task.name, variant, 4004, 1});
    }
    return cases;
}

class SpmvOfAnyInput : public lab::testing::LabTest {};

TEST_P(SpmvOfAnyInput, IsRight) {
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        Instance call = GetParam();
        call.seed = seed;
        run(call, seed);  // and another order of blocks and warps each time
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, SpmvOfAnyInput, testing::ValuesIn(middle_cases()), lab::testing::name_of_case);

// Degenerate matrices: no rows, no columns, no nonzeros, one row, one column, very long rows.
TEST_F(Spmv, IsRightForEveryOddShape) {
    struct Odd {
        std::int64_t n, rows, cols;
        const char* kind = "gaps";
    };
    const Odd shapes[] = {{0, 0, 0},
                          {0, 0, 7},
                          {0, 7, 0},
                          {0, 1, 1},
                          {0, 5000, 3},
                          {1, 1, 1},
                          {1, 9000, 2},
                          {3000, 1, 3000},
                          {3000, 1, 9000},
                          {1792, 3000, 1, "uniform"},  // at most 3/2 * 1792 / 3000 nonzeros a row: 0 or 1
                          {3584, 2, 3000, "uniform"},  // at most 3/4 of them a row
                          {3584, 2, 3584},
                          {1791, 3, 5000},
                          {31, 70'000, 31}};
    for (const lab::Task& task : spmv_lab().tasks) {
        if (!is_product(task.name) && task.name != "csr_from_coo") continue;
        for (const auto& [n, rows, cols, kind] : shapes)
            for (const std::uint64_t seed : {1, 2, 3})
                run({task.name, kind, n, seed, {{"rows", rows}, {"cols", cols}}}, seed);
        run({task.name, "uniform", 2048, 0, {{"rows", 2048}, {"cols", 1}}});  // a column without gaps
    }
}

TEST_F(Spmv, DenseMatricesOfEveryShape) {
    const std::pair<std::int64_t, std::int64_t> shapes[] = {{0, 0},  {0, 9},  {9, 0},  {1, 1},   {1, 1000}, {1000, 1},
                                                            {7, 31}, {8, 32}, {9, 33}, {17, 65}, {300, 2}};
    for (const auto& [rows, cols] : shapes)
        for (std::uint64_t seed = 1; seed <= 6; ++seed)
            run({"csr_from_dense", "", rows * cols, seed, {{"rows", rows}, {"cols", cols}}}, seed);
}

// ---- Inputs and answers, without a device ----

class SpmvData : public testing::TestWithParam<Instance> {};

TEST_P(SpmvData, PlainCpuVersionAgreesWithTheOracle) {
    lab::testing::expect_cpu_is_right(GetParam(), 40, {0, 1, 2, 33, 1000});
}

TEST_P(SpmvData, ScalarsStayWhatTheyAre) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Instance call = GetParam();
        call.seed = seed;
        const Instance once = spmv_lab().complete(call);
        EXPECT_EQ(spmv_lab().complete(once).scalars, once.scalars);
        EXPECT_EQ(spmv_lab().complete(once).n, call.n);
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, SpmvData, testing::ValuesIn(middle_cases()), lab::testing::name_of_case);

TEST(SpmvData, MatricesAreSound) {
    for (const std::string& kind : spmv::kKindNames) {
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            for (const char* task : {"merge_path", "pagerank"}) {
                const Case c({task, kind, 1000, seed});
                const auto row_ptr = c.inputs[0].as<std::int32_t>(), col = c.inputs[1].as<std::int32_t>();
                ASSERT_EQ(row_ptr.front(), 0);
                ASSERT_EQ(row_ptr.back(), 1000) << kind << " seed " << seed;
                for (std::size_t r = 0; r + 1 < row_ptr.size(); ++r) {
                    ASSERT_LE(row_ptr[r], row_ptr[r + 1]);
                    for (std::int32_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) {
                        ASSERT_GE(col[k], k == row_ptr[r] ? 0 : col[k - 1] + 1);
                        ASSERT_LT(col[k], c.call.scalar("cols"));
                    }
                }
            }
        }
    }
}

TEST(SpmvData, ALaplacianOfAWholeGridIsTheRealOne) {
    Case c({"merge_path", "", 77, 0, {{"grid", 30}, {"x", 1}}});
    EXPECT_EQ(c.call.n, 5 * 900 - 4 * 30);
    EXPECT_EQ(c.call.scalar("rows"), 900);
    EXPECT_EQ(c.call.scalar("cols"), 900);
    const auto y = c.outputs[0].as<float>();  // 4 less the number of neighbours
    EXPECT_EQ(y[0], 2);
    EXPECT_EQ(y[1], 1);
    EXPECT_EQ(y[31], 0);
    EXPECT_EQ(std::accumulate(y.begin(), y.end(), 0.0f), 4 * 30);
}

// A block that the nonzeros fill to its end must not take the rows behind it for its own.
TEST(SpmvData, RowsBehindAFullBlockAreEmpty) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Case c({"segmented_scan", "gaps", 1792, seed});
        const auto row_ptr = c.inputs[0].as<std::int32_t>();
        EXPECT_EQ(row_ptr[c.call.scalar("rows") - 1], 1792) << "seed " << seed;
    }
}

// The matrices that programs often get wrong must come up in many seeds.
TEST(SpmvData, SeedsReachEveryKindOfRow) {
    int first = 0, last = 0, all = 0, full = 0, one_column = 0, wide = 0, tall = 0, stretch = 0, exact = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Case c({"merge_path", "gaps", seed % 10 == 0 ? 0 : 3000, seed});
        const auto row_ptr = c.inputs[0].as<std::int32_t>();
        const std::int64_t rows = c.call.scalar("rows"), cols = c.call.scalar("cols");
        if (rows > 0) {
            first += row_ptr[1] == 0;
            last += row_ptr[rows - 1] == row_ptr[rows];
            all += row_ptr[rows] == 0;
        }
        std::int64_t longest = 0, gap = 0, longest_gap = 0;
        for (std::int64_t r = 0; r < rows; ++r) {
            longest = std::max<std::int64_t>(longest, row_ptr[r + 1] - row_ptr[r]);
            gap = row_ptr[r] == row_ptr[r + 1] ? gap + 1 : 0;
            longest_gap = std::max(longest_gap, gap);
        }
        full += longest == cols && longest > 1000;
        stretch += longest_gap > 2000;
        one_column += cols == 1;
        wide += cols > rows;
        tall += rows > cols;
        const auto& tolerance = c.expected[0].tolerance;
        exact += std::ranges::all_of(tolerance, [](double t) { return t == 0; });
    }
    EXPECT_GE(first, 50);
    EXPECT_GE(last, 50);
    EXPECT_GE(all, 10);
    EXPECT_GE(full, 5);
    EXPECT_GE(one_column, 1);
    EXPECT_GE(wide, 30);
    EXPECT_GE(tall, 30);
    EXPECT_GE(stretch, 20);
    EXPECT_GE(exact, 150);
}

// A product left out must not pass, however long the row.
TEST(SpmvOracle, MissesNoProductInARowOfUsualLength) {
    for (std::uint64_t seed : {0, 1, 3}) {
        Case c({"merge_path", "uniform", 20'000, seed, {{"per_row", 16}}});
        const auto row_ptr = c.inputs[0].as<std::int32_t>(), col = c.inputs[1].as<std::int32_t>();
        const auto value = c.inputs[2].as<float>(), x = c.inputs[3].as<float>(), y = c.outputs[0].as<float>();
        const std::vector<float> right(y.begin(), y.end());
        ASSERT_TRUE(c.is_right());
        for (std::size_t r = 0; r < y.size(); r += 7) {
            if (row_ptr[r] == row_ptr[r + 1]) continue;
            y[r] -= value[row_ptr[r]] * x[col[row_ptr[r]]];
            EXPECT_FALSE(c.is_right()) << "row " << r;
            y[r] = right[r];
        }
    }
}

TEST(SpmvOracle, WholeNumbersAreExactInTheLongestRow) {
    Case c({"merge_path", "uniform", 300'000, 1, {{"rows", 1}}});
    ASSERT_TRUE(c.is_right());
    c.outputs[0].as<float>()[0] += 1;
    EXPECT_FALSE(c.is_right());
}

// Subnormal products have fewer than 24 bits and are rounded more coarsely. A missing product must still be noticed.
TEST(SpmvOracle, ToleratesUnderflowAndNothingElse) {
    Case c({"merge_path", "uniform", 2000, 0, {{"per_row", 2}}});
    for (float& value : c.inputs[2].as<float>()) value *= 1e-39f;
    c.answer();
    ASSERT_TRUE(c.is_right());
    const auto value = c.inputs[2].as<float>(), x = c.inputs[3].as<float>(), y = c.outputs[0].as<float>();
    double worst = 0;
    for (std::size_t r = 0; r < y.size(); ++r) worst = std::max(worst, std::fabs(y[r] - c.expected[0].value[r]));
    EXPECT_GT(worst, 2e-39 * 0x1p-23) << "nothing was rounded to a multiple of 2^-149";
    y[0] -= value[0] * x[c.inputs[1].as<std::int32_t>()[0]];
    EXPECT_FALSE(c.is_right());
}

TEST(SpmvOracle, RejectsNaNAndWhatIsWrittenPastTheEnd) {
    Case c({"row_per_thread", "uniform", 100, 0});
    c.outputs[0].as<float>()[3] = NAN;
    EXPECT_FALSE(c.is_right());
    Case dense({"csr_from_dense", "", 100, 0});
    ASSERT_TRUE(dense.is_right());
    dense.outputs[1].as<std::int32_t>()[99] = 0;
    EXPECT_FALSE(dense.is_right());
}

TEST(SpmvOracle, RanksOfPagesWithoutLinksAreSharedOut) {
    for (const double lost : {1.0, 0.99}) {  // all right; and one in a hundred lost
        Case c({"pagerank", "power_law", 20'000, 0});
        for (float& rank : c.outputs[0].as<float>()) rank *= static_cast<float>(lost);
        EXPECT_EQ(c.is_right(), lost == 1.0);
    }
}

TEST(SpmvData, WhatIsTimedHasTheSameSizesForEverySeed) {
    for (const lab::Task& task : spmv_lab().tasks) {
        for (const std::int64_t n : {task.timed_n, std::int64_t{1} << 20}) {
            const std::string variant = task.variants.empty() ? "" : task.variants[0];
            lab::Scalars sizes = spmv_lab().complete({task.name, variant, n, 1}).scalars;
            EXPECT_EQ(spmv_lab().complete({task.name, variant, n, 99}).scalars, sizes) << task.name;
        }
    }
}

TEST(SpmvData, WhatDoesNotGoTogetherIsRefused) {
    const auto complete = [](const char* task, const char* kind, std::int64_t n, lab::Scalars scalars) {
        return spmv_lab().complete({task, kind, n, 0, std::move(scalars)});
    };
    EXPECT_EQ(complete("merge_path", "uniform", 160, {{"rows", 10}}).scalar("cols"), 16);
    EXPECT_THROW(complete("merge_path", "uniform", 160, {{"rows", 10}, {"cols", 15}}), std::invalid_argument);
    EXPECT_THROW(complete("merge_path", "uniform", 160, {{"rows", 0}}), std::invalid_argument);
    EXPECT_THROW(complete("merge_path", "laplacian", 160, {{"rows", 10}}), std::invalid_argument);
    EXPECT_THROW(complete("csr_from_dense", "", 160, {{"cols", 33}}), std::invalid_argument);
    EXPECT_EQ(complete("csr_from_dense", "", 160, {{"rows", 40}}).scalar("cols"), 4);
    EXPECT_EQ(complete("merge_path", "uniform", 160, {{"matrix", 3}}).variant, "band");
}

}  // namespace
