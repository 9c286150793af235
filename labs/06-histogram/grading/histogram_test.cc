// Lab 6's tests: every task, variant and public size, and what is particular to histograms.
#include "histogram.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <stdexcept>

#include "grading/files.h"
#include "grading/image.h"
#include "harness/lab_test.h"

lab::Lab histogram_lab();

namespace {

using lab::Array;
using lab::Instance;
using lab::testing::Case;

class Histogram : public lab::testing::LabTest {};

TEST_P(Histogram, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Histogram, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

// One call of each task and variant for each kind of input, which is the seed modulo 5.
std::vector<Instance> cases_of_every_kind(std::int64_t n) {
    std::vector<Instance> cases;
    for (const lab::Task& task : histogram_lab().tasks)
        for (const std::string& variant : task.variants)
            for (std::uint64_t seed = 5; seed < 10; ++seed) cases.push_back({task.name, variant, n, seed});
    return cases;
}

class HistogramInAnyOrder : public lab::testing::LabTest {};

TEST_P(HistogramInAnyOrder, IsRightInEverySchedule) {
    for (std::uint64_t schedule = 1; schedule <= 3; ++schedule) run(GetParam(), schedule);
}

INSTANTIATE_TEST_SUITE_P(Tasks, HistogramInAnyOrder, testing::ValuesIn(cases_of_every_kind(20'001)),
                         lab::testing::name_of_case);

// As few and as many bins as the contract allows, and one more or less than a block has threads.
std::vector<Instance> cases_of_bins() {
    std::vector<Instance> cases;
    for (const lab::Task& task : histogram_lab().tasks) {
        const bool is_private = task.name.starts_with("thread_local");
        for (const std::string& variant : task.variants) {
            if (variant == "levels_uint8") continue;
            for (const int bins : {1, 2, 255, 256, 257, 1023, 1024, 8191, 8192})
                if (!is_private || bins <= kMostPrivateBins)
                    cases.push_back({task.name, variant, 3000, 5, {{"bins", bins}}});
        }
    }
    return cases;
}

class HistogramOfBins : public lab::testing::LabTest {};

TEST_P(HistogramOfBins, CountsEveryValueOnce) {
    const auto outcome = run(GetParam());
    const auto counts = outcome.output<unsigned>();
    EXPECT_EQ(counts.size(), static_cast<std::size_t>(GetParam().scalar("bins")) + 1);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), GetParam().n);
}

INSTANTIATE_TEST_SUITE_P(Tasks, HistogramOfBins, testing::ValuesIn(cases_of_bins()), lab::testing::name_of_case);

// ---- Inputs and answers, without a device ----

class HistogramData : public testing::TestWithParam<Instance> {};

TEST_P(HistogramData, PlainCpuVersionAgreesWithTheOracle) {
    for (std::uint64_t seed = GetParam().seed; seed < 100; seed += 5) {
        Instance call = GetParam();
        call.seed = seed;
        EXPECT_EQ(Case(call).wrong(), "") << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, HistogramData, testing::ValuesIn(cases_of_every_kind(300)), lab::testing::name_of_case);

TEST(HistogramData, SeedsReachEveryKindOfInput) {
    bool has_nan = false, is_all_outside = false, is_all_in_one = false, has_infinite_edge = false, is_on_edge = false,
         has_empty_bin = false;
    std::set<std::int64_t> bins;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Case c({"replicated", "edges_float32", 100, seed});
        const auto values = c.inputs[0].as<float>(), edges = c.inputs[1].as<float>();
        const auto& counts = c.expected[0].exact;
        bins.insert(c.call.scalar("bins"));
        EXPECT_TRUE(std::is_sorted(edges.begin(), edges.end()));
        has_nan = has_nan || std::any_of(values.begin(), values.end(), [](float x) { return std::isnan(x); });
        is_all_outside = is_all_outside || counts.back() == 100;
        is_all_in_one = is_all_in_one || std::count(counts.begin(), counts.end() - 1, 100) == 1;
        has_infinite_edge = has_infinite_edge || std::isinf(edges.back());
        is_on_edge = is_on_edge || std::binary_search(edges.begin(), edges.end() - 1, values[0]);
        has_empty_bin = has_empty_bin || std::adjacent_find(edges.begin(), edges.end()) != edges.end();
    }
    EXPECT_TRUE(has_nan);
    EXPECT_TRUE(is_all_outside);
    EXPECT_TRUE(is_all_in_one);
    EXPECT_TRUE(has_infinite_edge);
    EXPECT_TRUE(is_on_edge);
    EXPECT_TRUE(has_empty_bin);
    EXPECT_EQ(*bins.begin(), 1);
    EXPECT_EQ(*bins.rbegin(), kMostBins);
}

TEST(HistogramData, WhatIsTimedIsTheSameKindForEverySeed) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        Case c({"shared_atomics", "levels_uint8", 1 << 20, seed});
        const auto& counts = c.expected[0].exact;
        EXPECT_NEAR(static_cast<double>(counts[3]), 0.99 * (1 << 20) / 10.0, 256) << "a tenth is nearly black";
    }
}

TEST(HistogramData, BinsThatATaskCannotHaveAreRefused) {
    const lab::Lab lab = histogram_lab();
    const Instance call{"thread_local_reduce", "uniform_float32", 10, 1};
    const auto with = [](Instance one, lab::Scalars scalars) {
        one.scalars = std::move(scalars);
        return one;
    };
    EXPECT_NO_THROW(lab.complete(with(call, {{"bins", 256}, {"low", -5}, {"high", 5}})));
    EXPECT_THROW(lab.complete(with(call, {{"bins", 257}})), std::invalid_argument);
    EXPECT_THROW(lab.complete(with(call, {{"low", 7}, {"high", 7}})), std::invalid_argument);
    EXPECT_THROW(lab.complete(with({"replicated", "levels_uint8", 10, 1}, {{"bins", 8}})), std::invalid_argument);
}

// Why UniformFloat looks at the bin once more.
TEST(UniformFloatBins, JustBelowTheUpperEndIsInTheLastBin) {
    int rounded_up = 0;
    for (int high = 1; high <= 100; ++high) {
        for (int count = 1; count <= 100; ++count) {
            const auto end = static_cast<float>(high);
            const UniformFloat bins{0, end, count, static_cast<float>(count) / end};
            const float below = std::nextafter(end, 0.0f);
            rounded_up += below * bins.bins_per_unit >= static_cast<float>(count);
            EXPECT_EQ(bins(below), count - 1) << count << " bins up to " << high;
            EXPECT_EQ(bins(end), count);
        }
    }
    EXPECT_GT(rounded_up, 0);
}

// ---- Pictures ----

class HistogramPicture : public testing::Test {
  protected:
    std::string path =
        (std::filesystem::temp_directory_path() /
         ("histogram_test_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".pgm"))
            .string();
    ~HistogramPicture() override { std::filesystem::remove(path); }

    // The picture goes into a file, through the lab's reader, the oracle's counts and the lab's writer, and back.
    lab::Image equalised(const lab::Image& picture) {
        lab::write_image(path, picture);
        const lab::Lab lab = histogram_lab();
        lab::Problem problem = lab.files.read({"replicated", "levels_uint8"}, path);
        const Instance call = lab.complete(problem.instance);
        const lab::Shape shape = lab.shape(call);
        const Array in{shape.inputs[0], problem.inputs[0].data()};
        const auto exact = lab::testing::expect(call, {&in, 1})[0].exact;
        std::vector<std::uint32_t> counts(exact.begin(), exact.end());
        const Array out{shape.outputs[0], counts.data()};
        lab.files.write(call, {&in, 1}, {&out, 1}, path);
        return lab::read_image(path);
    }
};

TEST_F(HistogramPicture, LevelsAreSpreadByTheirRank) {
    const lab::Image picture = equalised({3, 2, 1, {10, 10, 20, 30, 30, 30}});
    EXPECT_EQ(picture.width, 3u);
    EXPECT_EQ(picture.height, 2u);
    // 2, 3 and 6 pixels are as dark or darker; less the 2 darkest, of 4: 0, 1/4, 1.
    EXPECT_EQ(picture.pixels, (std::vector<std::uint8_t>{0, 0, 64, 255, 255, 255}));
}

TEST_F(HistogramPicture, OfOneLevelStaysOne) {
    EXPECT_EQ(equalised({4, 1, 1, {77, 77, 77, 77}}).pixels, (std::vector<std::uint8_t>{0, 0, 0, 0}));
}

TEST_F(HistogramPicture, IsRefusedWhereItDoesNotFit) {
    lab::write_image(path, {1, 1, 1, {5}});
    const lab::Lab lab = histogram_lab();
    EXPECT_THROW(lab.files.read({"replicated", "edges_float32"}, path), lab::FileError);
    Case c({"replicated", "levels_uint8", 4, 1});
    std::ranges::fill(c.outputs[0].as<std::uint32_t>(), 0);  // no histogram of 4 pixels
    EXPECT_THROW(lab.files.write(c.call, c.inputs, c.outputs, path), lab::FileError);
}

}  // namespace
