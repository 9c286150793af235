// Lab 3's tests: every task, variant and public size, and what is particular to scans.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "harness/lab_test.h"

lab::Lab scan_lab();

namespace {

using lab::Instance;
using lab::testing::Case;
using lab::testing::Outcome;

class Scan : public lab::testing::LabTest {};

TEST_P(Scan, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Scan, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

// Look-back depends on the order in which tiles publish; nothing else may.
class ScanInAnyOrder : public lab::testing::LabTest {};

TEST_P(ScanInAnyOrder, IsRightInEverySchedule) {
    for (std::uint64_t schedule = 1; schedule <= 5; ++schedule) run(GetParam(), schedule);
}

std::vector<Instance> large_cases() {
    std::vector<Instance> cases;
    for (const lab::Task& task : scan_lab().tasks) {
        bool looks_back = task.name == "look_back" || task.name == "pipelined";
        std::int64_t n = looks_back ? 500'001 : 40'001;
        for (const std::string& variant : task.variants) cases.push_back({task.name, variant, n, 2});
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Tasks, ScanInAnyOrder, testing::ValuesIn(large_cases()), lab::testing::name_of_case);

// ---- Inputs and answers, without a device ----

class ScanData : public testing::TestWithParam<Instance> {};

TEST_P(ScanData, PlainCpuVersionAgreesWithTheOracle) {
    lab::testing::expect_cpu_is_right(GetParam(), 10, {GetParam().n});
}

INSTANTIATE_TEST_SUITE_P(Tasks, ScanData, testing::ValuesIn(large_cases()), lab::testing::name_of_case);

// Float sums as a GPU adds them: tiles of `tile` elements, each a tree; then one tile after the other.
void scan_floats(std::span<const float> in, std::span<float> out, std::size_t tile, std::size_t without) {
    float before = 0;
    std::vector<float> sums(tile), next(tile);
    for (std::size_t first = 0; first < in.size(); first += tile) {
        std::size_t count = std::min(tile, in.size() - first);
        for (std::size_t k = 0; k < count; ++k) sums[k] = first + k == without ? 0 : in[first + k];
        for (std::size_t offset = 1; offset < count; offset *= 2) {
            for (std::size_t k = 0; k < count; ++k) next[k] = k >= offset ? sums[k - offset] + sums[k] : sums[k];
            std::swap(sums, next);
        }
        for (std::size_t k = 0; k < count; ++k) out[first + k] = before + sums[k];
        before += sums[count - 1];
    }
}

TEST(ScanTolerance, AllowsForRounding) {
    for (std::int64_t n : {1, 1000, 65536, 1 << 20}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            Case c({"look_back", "inclusive_sum_float32", n, seed});
            scan_floats(c.inputs[0].as<float>(), c.outputs[0].as<float>(), 4096, SIZE_MAX);
            EXPECT_EQ(c.wrong(), "") << "n " << n << " seed " << seed;
        }
    }
}

TEST(ScanTolerance, RejectsASumWithoutASingleElement) {
    for (std::int64_t n : {2, 1000, 65536, 65537, 1 << 20}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            Case c({"look_back", "inclusive_sum_float32", n, seed});
            for (std::int64_t without : {std::int64_t{0}, n / 2, n - 1}) {
                scan_floats(c.inputs[0].as<float>(), c.outputs[0].as<float>(), 4096, static_cast<std::size_t>(without));
                EXPECT_EQ(c.judge().first, without) << "n " << n << " seed " << seed;
            }
        }
    }
}

TEST(ScanTolerance, IsSmallerThanEveryElement) {
    for (std::int64_t n : {65536, 65537, 1 << 20}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            Case c({"block_sums", "inclusive_sum_float32", n, seed});
            auto in = c.inputs[0].as<float>();
            std::int64_t hidden = 0;
            for (std::int64_t i = 0; i < n; ++i) hidden += !(std::abs(in[i]) > c.expected[0].tolerance[i]);
            EXPECT_EQ(hidden, 0) << "n " << n << " seed " << seed;
        }
    }
}

TEST(ScanTolerance, RejectsNaN) {
    Case c({"look_back", "inclusive_sum_float32", 100, 1});
    scan_floats(c.inputs[0].as<float>(), c.outputs[0].as<float>(), 4096, SIZE_MAX);
    c.outputs[0].as<float>()[50] = NAN;
    EXPECT_EQ(c.judge().first, 50);
}

TEST(ScanData, SeedsReachEveryKindOfInput) {
    bool wraps = false, falls = false;
    std::map<std::int64_t, int> heads;  // how many heads
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
        Case c({"block_sums", "segmented_sum_int32", 700, seed});
        std::int64_t sum = 0, count = 0;
        auto in = c.inputs[0].as<std::int32_t>();
        for (std::size_t i = 0; i < in.size(); i += 2) {
            sum += in[i];
            wraps = wraps || sum != static_cast<std::int32_t>(sum);
            falls = falls || in[i] < 0;
            count += in[i + 1];
        }
        ++heads[count];
    }
    EXPECT_TRUE(wraps);
    EXPECT_TRUE(falls);
    EXPECT_GE(heads[0], 5);    // none
    EXPECT_GE(heads[1], 5);    // the last
    EXPECT_GE(heads[100], 5);  // every 7th
    EXPECT_GE(heads[700], 5);  // all
}

}  // namespace
