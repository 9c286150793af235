// Lab 17's tests: every task at every public size, and what is particular to maps.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "grading/files.h"
#include "harness/lab_test.h"

lab::Lab pairs_lab();

namespace {

using lab::Instance;
using lab::testing::Case;

class Pairs : public lab::testing::LabTest {};

TEST_P(Pairs, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Pairs, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

class PairsInAnyOrder : public lab::testing::LabTest {};

TEST_P(PairsInAnyOrder, IsRightInEverySchedule) {
    for (std::uint64_t schedule = 1; schedule <= 5; ++schedule) run(GetParam(), schedule);
}

std::vector<Instance> cases_of(std::int64_t n, std::uint64_t seed) {
    std::vector<Instance> cases;
    for (const lab::Task& task : pairs_lab().tasks) cases.push_back({task.name, "", n, seed});
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Tasks, PairsInAnyOrder, testing::ValuesIn(cases_of(700, 1)), lab::testing::name_of_case);

TEST_F(Pairs, IsRightOnEveryKindOfMap) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
        for (const Instance& one : cases_of(300, seed)) run(one);
}

// ---- Inputs and answers, without a device ----

TEST(PairsData, PlainCpuVersionAgreesWithTheOracle) {
    for (const std::int64_t n : {0, 1, 2, 31, 1'000, 3'000})
        for (std::uint64_t seed = 0; seed < 13; ++seed)
            for (const Instance& one : cases_of(n, seed))
                EXPECT_EQ(Case(one).wrong(), "") << testing::PrintToString(one);
}

// A call on these points.
Case call_on(const std::string& task, const std::vector<std::int32_t>& numbers, std::int64_t radius) {
    Instance call{task, "", static_cast<std::int64_t>(numbers.size() / 2), 1, {{"radius", radius}}};
    std::vector<std::int32_t> copy = numbers;
    const lab::Array points{{"d_points", lab::DType::i32, copy.size()}, copy.data()};
    pairs_lab().from_arrays(call, {&points, 1});
    Case c(call);
    std::ranges::copy(numbers, c.inputs[0].as<std::int32_t>().begin());
    c.answer();
    return c;
}

TEST(PairsData, APointAtTheRadiusIsNearAndOneBeyondIsNot) {
    const std::vector<std::int32_t> points = {0, 0, 30'000'000, 16'000'000, 30'000'001, 16'000'000};
    EXPECT_EQ(call_on("all_pairs", points, 34'000'000).expected[0].exact, (std::vector<std::uint64_t>{1, 2, 1}));
    EXPECT_EQ(call_on("all_pairs", points, 33'999'999).expected[0].exact, (std::vector<std::uint64_t>{0, 1, 1}));
}

TEST(PairsData, PointsAtOnePlaceAreNearEachOtherAtRadiusZero) {
    EXPECT_EQ(call_on("binned", {-7, 3, -7, 3, -6, 3, -7, 3}, 0).expected[0].exact,
              (std::vector<std::uint64_t>{2, 2, 0, 2}));
}

TEST(PairsData, PairsAreOrderedByFirstThenBySecond) {
    const Case c = call_on("pairs_out", {0, 0, 9, 0, 1, 0, 10, 0, 2, 0}, 2);
    EXPECT_EQ(c.expected[0].exact, (std::vector<std::uint64_t>{0, 2, 0, 4, 1, 3, 2, 4}));
    EXPECT_EQ(c.expected[1].exact, (std::vector<std::uint64_t>{4}));
}

TEST(PairsOracle, RejectsTwoPairsExchangedAndAPairTurnedRound) {
    Case c({"pairs_out", "", 200, 1});
    ASSERT_TRUE(c.is_right());
    ASSERT_GT(c.outputs[1].as<std::int32_t>()[0], 1);
    const auto out = c.outputs[0].as<std::int32_t>();
    std::swap(out[0], out[1]);
    EXPECT_FALSE(c.is_right());
    std::swap(out[0], out[1]);
    ASSERT_TRUE(c.is_right());
    std::swap_ranges(out.begin(), out.begin() + 2, out.begin() + 2);
    EXPECT_FALSE(c.is_right());
}

TEST(PairsCases, EveryPointIsInTheGridAndCellsAreAsWideAsTheRadius) {
    for (const std::int64_t n : {0, 1, 3, 40, 1'000, 8'192})
        for (std::uint64_t seed = 0; seed < 13; ++seed)
            for (const Instance& one : cases_of(n, seed)) {
                const Case c(one);
                if (!c.call.scalars.contains("side")) continue;
                const auto grid = [&](const char* name) { return c.call.scalar(name); };
                EXPECT_GE(grid("side"), std::max<std::int64_t>(grid("radius"), 1));
                EXPECT_LE(std::max(grid("columns"), grid("rows")), 65'535);
                const std::int64_t most = one.task == "binned" ? 4 * n + 64 : std::int64_t{1} << 32;
                EXPECT_LE(grid("columns") * grid("rows"), most);
                const auto numbers = c.inputs[0].as<std::int32_t>();
                for (std::size_t i = 0; i < numbers.size(); ++i) {
                    const std::int64_t at = numbers[i] - grid(i % 2 == 0 ? "left" : "bottom");
                    ASSERT_GE(at, 0);
                    ASSERT_LT(at / grid("side"), grid(i % 2 == 0 ? "columns" : "rows"));
                    ASSERT_LE(std::abs(numbers[i]), 1 << 25);
                }
            }
}

TEST(PairsCases, TimedCallsHaveArraysOfTheSameSizesHoweverLarge) {
    for (const std::int64_t n : {8'192, 100'000, 1 << 22})
        for (std::uint64_t seed = 0; seed < (n == 8'192 ? 10 : 1); ++seed)
            EXPECT_EQ(pairs_lab().complete({"pairs_out", "", n, seed}).scalar("room"), 8 * n) << n << ", " << seed;
}

TEST(PairsCases, TooManyPairsAreRefused) {
    EXPECT_THROW(pairs_lab().complete({"pairs_out", "", 20'000, 0, {{"radius", 1 << 26}}}), std::invalid_argument);
}

// ---- Files ----

struct File {
    explicit File(const std::string& text) { lab::write_file(path, text); }
    ~File() { std::filesystem::remove(path); }
    const std::string path = testing::TempDir() + "cities.csv";
};

lab::Problem read(const std::string& text) {
    const File file(text);
    return pairs_lab().files.read({.task = "pairs_out", .variant = "", .scalars = {{"radius", 5}}}, file.path);
}

TEST(PairsFiles, PointsHaveNamesOrNot) {
    const std::vector<std::int32_t> points = {1, -2, 4, 2};
    for (const char* text : {"1,-2\n4,2\n", "# towns\nname;x;y\n\na; 1 ;-2\r\nb c;+4;2", "x\ty\n1\t-2\n4\t2 # far"}) {
        const lab::Problem problem = read(text);
        EXPECT_EQ(problem.instance.n, 2);
        EXPECT_EQ(problem.inputs[0], lab::bytes_of(points)) << text;
    }
    for (const char* text : {"1\n", "1,2,3,4\n", "a,1,2.5\n", "1,2\nx,y\n", "1,33554433\n"})
        EXPECT_THROW((void)read(text), lab::FileError) << text;
}

TEST(PairsFiles, PairsAreWrittenWithTheirDistances) {
    const lab::Problem problem = read("0,0\n3,4\n-3,4\n9,4\n");
    const lab::Lab lab = pairs_lab();
    Case c(lab.complete(problem.instance));
    std::memcpy(c.inputs[0].data, problem.inputs[0].data(), problem.inputs[0].size());
    lab.cpu(c.call, c.inputs, c.outputs);
    const File csv("");
    lab.files.write(c.call, c.inputs, c.outputs, csv.path);
    EXPECT_EQ(lab::read_file(csv.path), "first,second,metres\n0,1,5\n0,2,5\n");
    const std::string svg = testing::TempDir() + "cities.svg";
    lab.files.write(c.call, c.inputs, c.outputs, svg);
    EXPECT_NE(lab::read_file(svg).find("<circle"), std::string::npos);
    std::filesystem::remove(svg);
    EXPECT_THROW(lab.files.write(c.call, c.inputs, c.outputs, "pairs.txt"), lab::FileError);
}

}  // namespace
