// Lab 13's tests: every task, variant and public size, and what is particular to matrices.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "grading/files.h"
#include "grading/image.h"
#include "harness/lab_test.h"

lab::Lab transpose_lab();

namespace {

using lab::Instance;
using lab::testing::Case;

class Transpose : public lab::testing::LabTest {};

TEST_P(Transpose, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Transpose, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

class TransposeInAnyOrder : public lab::testing::LabTest {};

TEST_P(TransposeInAnyOrder, IsRightInEverySchedule) {
    for (std::uint64_t schedule = 1; schedule <= 5; ++schedule) run(GetParam(), schedule);
}

// One call of each task and variant.
std::vector<Instance> cases_of(std::int64_t n, std::uint64_t seed) {
    std::vector<Instance> cases;
    for (const lab::Task& task : transpose_lab().tasks) {
        const auto variants = task.variants.empty() ? std::vector<std::string>{""} : task.variants;
        for (const std::string& variant : variants) cases.push_back({task.name, variant, n, seed});
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Tasks, TransposeInAnyOrder, testing::ValuesIn(cases_of(5'000, 1)), lab::testing::name_of_case);

TEST_F(Transpose, IsRightForEveryShape) {
    const std::pair<std::int64_t, std::int64_t> shapes[] = {{1, 300}, {300, 1}, {2, 3},  {31, 33},
                                                            {32, 64}, {65, 5},  {9, 129}};
    for (const auto& [rows, columns] : shapes) {
        for (const char* variant : {"uint8", "float64", "float32x4"})
            run({"rectangular", variant, rows * columns, 1, {{"columns", columns}}});
        run({"summed_area", "", rows * columns, 1, {{"columns", columns}}});
    }
}

TEST_F(Transpose, WritesNothingForAMatrixWithoutElements) {
    for (const std::int64_t rows : {0, 7})
        for (const std::int64_t columns : {0, 5})
            if (rows * columns == 0)
                for (const auto& [task, variant] : {std::pair{"rectangular", "float32"}, {"summed_area", ""}})
                    run({task, variant, 0, 1, {{"rows", rows}, {"columns", columns}}});
}

TEST_F(Transpose, TakesAsManyRowsAsTheContractAllows) {
    run({"rectangular", "uint8", 65'535, 1, {{"columns", 1}}});
    run({"summed_area", "", 65'535, 1, {{"columns", 1}}});
}

// ---- Inputs and answers, without a device ----

TEST(TransposeData, PlainCpuVersionAgreesWithTheOracle) {
    for (const std::int64_t n : {0, 1, 2, 31, 5'000})
        for (std::uint64_t seed = 0; seed < 6; ++seed)
            for (const Instance& one : cases_of(n, seed))
                EXPECT_EQ(Case(one).wrong(), "") << testing::PrintToString(one);
}

TEST(TransposeData, SixElementsAreWhatTheContractShows) {
    Case c({"rectangular", "float32", 6, 0, {{"columns", 3}}});
    const std::vector<float> in = {1, 2, 3, 4, 5, 6};
    std::ranges::copy(in, c.inputs[0].as<float>().begin());
    c.answer();
    std::vector<std::uint64_t> expected;
    for (const float value : {1, 4, 2, 5, 3, 6}) expected.push_back(lab::bits_of(value));
    EXPECT_EQ(c.expected[0].exact, expected);
}

TEST(TransposeData, SumsAreThoseOfTheRectangleAboveAndToTheLeft) {
    Case c({"summed_area", "", 6, 0, {{"columns", 3}}});
    std::ranges::copy(std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}, c.inputs[0].as<std::uint8_t>().begin());
    c.answer();
    EXPECT_EQ(c.expected[0].exact, (std::vector<std::uint64_t>{1, 3, 6, 5, 12, 21}));
}

TEST(TransposeData, WordsOfStructuresComeTogether) {
    Case c({"layouts", "structures_of_3", 2, 0});
    std::ranges::copy(std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}, c.inputs[0].as<std::uint32_t>().begin());
    c.answer();
    EXPECT_EQ(c.expected[0].exact, (std::vector<std::uint64_t>{1, 4, 2, 5, 3, 6}));
}

TEST(TransposeOracle, RejectsTwoElementsExchangedAndAnotherZero) {
    Case c({"padded", "", 100, 1});
    ASSERT_TRUE(c.is_right());
    const auto out = c.outputs[0].as<float>();
    std::swap(out[3], out[30]);
    EXPECT_FALSE(c.is_right());
    std::swap(out[3], out[30]);
    ASSERT_TRUE(c.is_right());
    out[5] = 0.0f;
    EXPECT_FALSE(c.is_right());
    out[5] = -0.0f;
    EXPECT_FALSE(c.is_right());
}

TEST(TransposeCases, ShapesDifferFromSeedToSeedButForTimes) {
    std::set<std::int64_t> columns;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const Instance call = transpose_lab().complete({"rectangular", "uint8", 5'000, seed});
        columns.insert(call.scalar("columns"));
        EXPECT_LE(call.scalar("rows") * call.scalar("columns"), 5'000);
        EXPECT_GT(call.scalar("rows"), 0);
        EXPECT_EQ(transpose_lab().complete({"rectangular", "uint8", 1 << 20, seed}).scalar("columns"), 1024);
    }
    EXPECT_TRUE(columns.contains(1));
    EXPECT_TRUE(columns.contains(5'000));
    EXPECT_GT(columns.size(), 20);
}

TEST(TransposeCases, WrongShapesAreNamed) {
    EXPECT_THROW(transpose_lab().complete({"naive", "", 100, 1, {{"columns", 5}}}), std::invalid_argument);
    EXPECT_THROW(transpose_lab().complete({"rectangular", "uint8", 1 << 20, 1, {{"columns", 1}}}),
                 std::invalid_argument);
}

// ---- Pictures ----

TEST(TransposePictures, ABlurIsTheMeanOfASquareCutOffAtTheBorder) {
    const std::string path = testing::TempDir() + "transpose.pgm";
    lab::write_image(path, {3, 2, 1, {0, 0, 90, 0, 0, 0}});
    const lab::Lab lab = transpose_lab();
    lab::Problem problem = lab.files.read({.task = "summed_area", .variant = "", .scalars = {{"radius", 1}}}, path);
    EXPECT_EQ(problem.instance.n, 6);
    Case c(lab.complete(problem.instance));
    std::memcpy(c.inputs[0].data, problem.inputs[0].data(), problem.inputs[0].size());
    c.answer();
    lab.cpu(c.call, c.inputs, c.outputs);
    lab.files.write(c.call, c.inputs, c.outputs, path);
    EXPECT_EQ(lab::read_image(path).pixels, (std::vector<std::uint8_t>{0, 15, 23, 0, 15, 23}));
    std::filesystem::remove(path);
}

TEST(TransposePictures, APictureIsTurnedRound) {
    const std::string path = testing::TempDir() + "turned.pgm";
    lab::write_image(path, {3, 2, 1, {1, 2, 3, 4, 5, 6}});
    const lab::Lab lab = transpose_lab();
    const lab::Problem problem = lab.files.read({.task = "rectangular", .variant = ""}, path);
    Case c(lab.complete(problem.instance));
    std::memcpy(c.inputs[0].data, problem.inputs[0].data(), problem.inputs[0].size());
    lab.cpu(c.call, c.inputs, c.outputs);
    lab.files.write(c.call, c.inputs, c.outputs, path);
    const lab::Image turned = lab::read_image(path);
    EXPECT_EQ(turned.width, 2);
    EXPECT_EQ(turned.pixels, (std::vector<std::uint8_t>{1, 4, 2, 5, 3, 6}));
    EXPECT_THROW((void)lab.files.read({.task = "naive", .variant = ""}, path), lab::FileError);
    std::filesystem::remove(path);
}

}  // namespace
