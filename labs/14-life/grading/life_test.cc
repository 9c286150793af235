// Lab 14's tests: every task and public size, boards of every shape, and the answers on their own.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/lab_test.h"

lab::Lab life_lab();

namespace {

using lab::Instance;
using lab::testing::Case;

class Life : public lab::testing::LabTest {};

TEST_P(Life, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Life, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

class LifeInAnyOrder : public lab::testing::LabTest {};

TEST_P(LifeInAnyOrder, IsRightInEverySchedule) {
    for (std::uint64_t schedule = 1; schedule <= 5; ++schedule) run(GetParam(), schedule);
}

// One call of each task and variant.
std::vector<Instance> cases_of(std::int64_t n, std::uint64_t seed) {
    std::vector<Instance> cases;
    for (const lab::Task& task : life_lab().tasks) {
        const auto variants = task.variants.empty() ? std::vector<std::string>{""} : task.variants;
        for (const std::string& variant : variants) cases.push_back({task.name, variant, n, seed});
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Tasks, LifeInAnyOrder, testing::ValuesIn(cases_of(1'500, 1)), lab::testing::name_of_case);

TEST_F(Life, IsRightForEveryShapeAndNumberOfGenerations) {
    const std::pair<std::int64_t, std::int64_t> shapes[] = {{1, 1},  {1, 2},  {2, 2},   {1, 40}, {40, 1}, {2, 33},
                                                            {3, 64}, {65, 2}, {57, 56}, {5, 97}, {33, 31}};
    for (const auto& [rows, columns] : shapes) {
        std::int64_t generations = 0;
        for (Instance one : cases_of(rows * columns, 1)) {
            one.scalars = {{"columns", columns}};
            for (int k = 0; k < (one.task == "scatter_and_gather" ? 1 : 3); ++k) {
                if (one.task != "scatter_and_gather") one.scalars["generations"] = generations++ % 10;
                run(one);
            }
        }
    }
}

TEST_F(Life, WritesNothingForABoardWithoutCells) {
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {0, 5}, {7, 0}})
        for (Instance one : cases_of(0, 1)) {
            one.scalars = {{"rows", rows}, {"columns", columns}};
            run(one);
        }
}

TEST_F(Life, TakesAsManyRowsOrColumnsAsTheContractAllows) {
    for (const std::int64_t columns : {1, 65'535})
        for (const char* task : {"life", "bits", "heat"})
            run({task, "", 65'535, 1, {{"columns", columns}, {"generations", 1}}});
}

// ---- Inputs and answers, without a device ----

TEST(LifeData, PlainCpuVersionAgreesWithTheOracle) {
    for (const std::int64_t n : {0, 1, 2, 4, 31, 1'000})
        for (std::uint64_t seed = 0; seed < 12; ++seed)
            for (const Instance& one : cases_of(n, seed)) {
                Case c(life_lab().complete(one));
                EXPECT_EQ(c.wrong(), "") << testing::PrintToString(one);
            }
}

// The cells of a board, row by row: # is alive.
Case with_cells(const std::string& task, const std::string& variant, std::int64_t columns, const std::string& cells,
                std::int64_t generations) {
    Instance call{task, variant, std::ssize(cells), 0, {{"columns", columns}}};
    if (generations >= 0) call.scalars["generations"] = generations;
    Case c(life_lab().complete(call));
    const auto in = c.inputs[0].as<std::uint8_t>();
    std::ranges::transform(cells, in.begin(), [](char cell) { return cell == '#'; });
    c.answer();
    return c;
}

std::string cells_of(const Case& c) {
    std::string cells;
    for (const std::uint64_t cell : c.expected[0].exact) cells += cell == 1 ? '#' : '.';
    return cells;
}

TEST(LifeData, AGliderIsBackAfterFourGenerationsForEachCellOfTheTorus) {
    const std::string glider =
        "......"
        ".#...."
        "..#..."
        "###..."
        "......"
        "......";
    EXPECT_EQ(cells_of(with_cells("life", "", 6, glider, 24)), glider);
    EXPECT_EQ(cells_of(with_cells("tile", "", 6, glider, 4)),
              "......"
              "......"
              "..#..."
              "...#.."
              ".###.."
              "......");
    EXPECT_EQ(cells_of(with_cells("life", "", 6, glider, 0)), glider);
}

TEST(LifeData, OnSmallBoardsACellIsANeighbourMoreThanOnce) {
    using Counts = std::vector<std::uint64_t>;
    EXPECT_EQ(with_cells("scatter_and_gather", "scatter", 1, "#", -1).expected[0].exact, Counts{8});
    EXPECT_EQ(with_cells("scatter_and_gather", "gather", 2, "#...", -1).expected[0].exact, (Counts{0, 2, 2, 4}));
    EXPECT_EQ(with_cells("scatter_and_gather", "gather", 4, "#...", -1).expected[0].exact, (Counts{2, 3, 0, 3}));
}

TEST(LifeData, HeatFlowsToFourNeighboursAndLeavesEdgesAsTheyAre) {
    Case c(life_lab().complete({"heat", "", 25, 0, {{"generations", 1}}}));
    std::ranges::fill(c.inputs[0].as<float>(), 0.0f);
    c.inputs[0].as<float>()[12] = 100.0f;
    c.inputs[0].as<float>()[2] = 50.0f;
    c.answer();
    const std::vector<double>& value = c.expected[0].value;
    EXPECT_NEAR(value[12], 20, 1e-5);
    EXPECT_NEAR(value[7], 30, 1e-5);
    EXPECT_NEAR(value[11], 20, 1e-5);
    EXPECT_EQ(value[6], 0);
    EXPECT_EQ(value[2], 50);
    EXPECT_EQ(c.expected[0].tolerance[2], 0);
}

// Each way to write the formula stays within the tolerance; a neighbour that is left out of one cell in one step does
// not.
TEST(LifeOracle, ToleranceTellsRoundingFromAMissingNeighbour) {
    Case c(life_lab().complete({"heat", "", 10'000, 0}));
    const std::int64_t width = c.call.scalar("columns"), steps = c.call.scalar("generations");
    for (const bool leaves_out : {false, true}) {
        const auto in = c.inputs[0].as<float>();
        std::vector<float> plate(in.begin(), in.end());
        for (std::int64_t step = 0; step < steps; ++step) {
            std::vector<float> next = plate;
            for (std::int64_t y = 1; y + 1 < width; ++y)
                for (std::int64_t x = 1; x + 1 < width; ++x) {
                    const float* t = plate.data() + y * width + x;
                    const float above = leaves_out && step == 0 && y == 50 && x == 50 ? 0.0f : t[-width];
                    float sum = (1.0f - 4.0f * 0.2f) * *t;
                    for (const float neighbour : {t[1], above, t[-1], t[width]}) sum += 0.2f * neighbour;
                    next[y * width + x] = sum;
                }
            plate.swap(next);
        }
        std::ranges::copy(plate, c.outputs[0].as<float>().begin());
        EXPECT_EQ(c.is_right(), !leaves_out);
    }
    c.outputs[0].as<float>()[77] = std::nanf("");
    EXPECT_FALSE(c.is_right());
}

TEST(LifeOracle, BitsThatAreNoCellsMustBeClear) {
    Case c(life_lab().complete({"bits", "", 33, 1, {{"columns", 33}, {"generations", 1}}}));
    ASSERT_TRUE(c.is_right());
    c.outputs[0].as<std::uint32_t>()[1] |= 2;
    EXPECT_FALSE(c.is_right());
}

TEST(LifeCases, ShapesAndGenerationsDifferFromSeedToSeedButForTimes) {
    std::set<std::int64_t> columns, generations;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Instance call = life_lab().complete({"life", "", 200, seed});
        columns.insert(call.scalar("columns"));
        generations.insert(call.scalar("generations"));
        EXPECT_LE(call.scalar("rows") * call.scalar("columns"), 200);
        const Instance timed = life_lab().complete({"life", "", 1 << 18, seed});
        EXPECT_EQ(timed.scalar("columns"), 512);
        EXPECT_EQ(timed.scalar("generations"), 8);
        EXPECT_GT(life_lab().complete({"tile", "", 1'000, seed}).scalar("generations"), 0);
    }
    for (const std::int64_t expected : {1, 2, 100, 200}) EXPECT_TRUE(columns.contains(expected)) << expected;
    for (std::int64_t expected = 0; expected <= 13; ++expected) EXPECT_TRUE(generations.contains(expected));
}

TEST(LifeCases, WrongShapesAreNamed) {
    const auto complete = [](lab::Scalars scalars) { return life_lab().complete({"life", "", 100, 1, scalars}); };
    EXPECT_THROW(complete({{"rows", 11}, {"columns", 10}}), std::invalid_argument);
    EXPECT_THROW(complete({{"columns", 101}}), std::invalid_argument);
    EXPECT_EQ(complete({{"rows", 3}}).scalar("columns"), 33);
    EXPECT_THROW(life_lab().complete({"life", "", 1 << 20, 1, {{"columns", 1}}}), std::invalid_argument);
}

}  // namespace
