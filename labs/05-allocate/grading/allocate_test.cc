// Lab 5's tests: every task, variant and public size, and what is particular to elements with any number of outputs.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "clip.h"
#include "grading/files.h"
#include "harness/lab_test.h"

lab::Lab allocate_lab();

namespace {

using lab::Instance;
using lab::testing::Case;

class Allocate : public lab::testing::LabTest {};

TEST_P(Allocate, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Allocate, testing::ValuesIn(lab::testing::public_cases()), lab::testing::name_of_case);

std::vector<Instance> cases_with(std::int64_t n) {
    std::vector<Instance> cases;
    for (const lab::Task& task : allocate_lab().tasks) {
        if (task.variants.empty()) cases.push_back({task.name, "", n, 1});
        for (const std::string& variant : task.variants) cases.push_back({task.name, variant, n, 1});
    }
    return cases;
}

class AllocateInAnyOrder : public lab::testing::LabTest {};

TEST_P(AllocateInAnyOrder, IsRightInEverySchedule) {
    for (std::uint64_t schedule = 1; schedule <= 3; ++schedule) run(GetParam(), schedule);
}

INSTANTIATE_TEST_SUITE_P(Tasks, AllocateInAnyOrder, testing::ValuesIn(cases_with(20'001)), lab::testing::name_of_case);

// All kinds of inputs: nothing out of all, everything out of one, and what lies between.
class AllocateOfAnyInput : public lab::testing::LabTest {};

TEST_P(AllocateOfAnyInput, IsRight) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        Instance call = GetParam();
        call.seed = seed;
        run(call);
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, AllocateOfAnyInput, testing::ValuesIn(cases_with(3000)), lab::testing::name_of_case);

// One element with more outputs than a block can have in a tile, alone, and among many that have none.
class AllocateAllInOne : public lab::testing::LabTest {};

TEST_P(AllocateAllInOne, IsRight) {
    for (const std::int64_t n : {1, 5000}) {
        for (const std::uint64_t seed : {1, 6, 10, 17, 22, 26}) {
            Instance call = GetParam();
            call.n = n;
            call.seed = seed;
            call.scalars = {{"outputs", 10'000}};
            run(call);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, AllocateAllInOne,
                         testing::Values(Instance{"thread_per_output", "count_up_int32"},
                                         Instance{"load_balanced", "count_up_int32"}),
                         lab::testing::name_of_case);

// ---- Inputs and answers, without a device ----

class AllocateData : public testing::TestWithParam<Instance> {};

TEST_P(AllocateData, PlainCpuVersionAgreesWithTheOracle) {
    lab::testing::expect_cpu_is_right(GetParam(), 112, {0, 1, 2, 52, 3000});
}

INSTANTIATE_TEST_SUITE_P(Tasks, AllocateData, testing::ValuesIn(cases_with(1)), lab::testing::name_of_case);

// ---- Triangles ----

constexpr Window kWindow{0, 10, 0, 10};

using Points = std::vector<std::pair<float, float>>;

Points clipped(const Triangle& triangle) {
    Polygon polygon;
    const int found = clip(triangle, kWindow, polygon);
    EXPECT_EQ(found, std::max(polygon.corners - 2, 0));
    Points points;
    for (int k = 0; k < polygon.corners; ++k) points.emplace_back(polygon.corner[k].x, polygon.corner[k].y);
    return points;
}

TEST(Clip, HasADefinedResultOnTheBorder) {
    EXPECT_EQ(clipped({{{0, 0}, {10, 0}, {0, 10}}}), (Points{{0, 0}, {10, 0}, {0, 10}})) << "inside, on the sides";
    EXPECT_EQ(clipped({{{-5, 0}, {-1, 5}, {0, 3}}}), Points{}) << "touches a side with a corner";
    EXPECT_EQ(clipped({{{0, 2}, {-4, 5}, {0, 8}}}), Points{}) << "touches a side with an edge";
    EXPECT_EQ(clipped({{{-5, 0}, {15, 0}, {5, -9}}}), Points{}) << "its edge is longer than the side";
    EXPECT_EQ(clipped({{{10, 10}, {20, 10}, {10, 20}}}), Points{}) << "touches a corner";
    EXPECT_EQ(clipped({{{5, 15}, {15, 5}, {15, 15}}}), Points{}) << "an edge goes through a corner";
    EXPECT_EQ(clipped({{{0, 5}, {-5, 5}, {5, 5}}}), (Points{{0, 5}, {0, 5}, {5, 5}})) << "no area, and partly inside";
    EXPECT_EQ(clipped({{{3, 3}, {3, 3}, {3, 3}}}).size(), 3u) << "a point inside";
    EXPECT_EQ(clipped({{{12, 3}, {12, 3}, {12, 3}}}).size(), 0u) << "a point outside";
    EXPECT_EQ(clipped({{{-100, -100}, {100, -100}, {0, 300}}}).size(), 4u) << "the whole window";
}

TEST(Clip, NeverLeavesMoreThanSevenCorners) {
    std::map<std::size_t, int> with;
    for (std::uint64_t seed = 1; seed < 400; ++seed) {
        Case c({"count_scan_scatter", "", 200, seed});
        const auto in = static_cast<std::int64_t>(c.expected[1].exact[0]);  // the oracle's number
        const auto window = [&](const char* name) { return static_cast<float>(c.call.scalar(name)); };
        const Window sides{window("left"), window("right"), window("bottom"), window("top")};
        std::int64_t sum = 0;
        for (int i = 0; i < 200; ++i) {
            Polygon polygon;
            sum += clip(reinterpret_cast<const Triangle*>(c.inputs[0].data)[i], sides, polygon);
            ++with[static_cast<std::size_t>(polygon.corners)];
        }
        EXPECT_EQ(sum, in);
    }
    for (const int corners : {0, 3, 4, 5, 6, 7}) EXPECT_GT(with[static_cast<std::size_t>(corners)], 100) << corners;
    EXPECT_EQ(with.size(), 6u);
}

double area(const Point* corner) {
    const auto x = [&](int k) { return static_cast<double>(corner[k].x) - corner[0].x; };
    const auto y = [&](int k) { return static_cast<double>(corner[k].y) - corner[0].y; };
    return std::abs(x(1) * y(2) - x(2) * y(1)) / 2;
}

// Neighbours in a mesh share edges, also where these are cut: together they cover the window, just once. A triangle has
// an area of about 100. Corners that were cut are off by a few units in the last place, 2^-14; some 600 triangles with
// sides of about 14 have one or two of them.
TEST(Clip, OfAMeshCoversTheWindow) {
    Case c({"count_scan_scatter", "", 20'000, 0});
    const auto* found = reinterpret_cast<const Point*>(c.outputs[0].data);
    double sum = 0;
    for (int k = 0; k < c.outputs[1].as<std::int32_t>()[0]; ++k)
        sum += area(found + static_cast<std::ptrdiff_t>(3) * k);
    EXPECT_NEAR(sum, 1e6, 4);
}

TEST(TriangleOracle, ToleratesOtherFormulasAndNothingElse) {
    double worst = 0;
    for (std::uint64_t seed = 1; seed < 200; ++seed) {
        Case c({"count_scan_scatter", "", 300, seed});
        const double size = static_cast<double>(c.call.scalar("right") - c.call.scalar("left"));
        const std::vector<double>& tolerance = c.expected[0].tolerance;
        std::vector<double> sorted(tolerance);
        std::sort(sorted.begin(), sorted.end());
        if (!sorted.empty()) worst = std::max(worst, sorted[sorted.size() / 2] / size);
    }
    EXPECT_LT(worst, 1e-3) << "half of the numbers in any call are known to a thousandth of the window";

    Case c({"count_scan_scatter", "", 1000, 0});
    ASSERT_TRUE(c.is_right());
    const auto number = [&]() -> float& { return c.outputs[0].as<float>()[600]; };
    const float right = number();
    number() = right + 0.1f;
    EXPECT_FALSE(c.is_right());
    number() = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(c.is_right());
    number() = right;
    const std::size_t behind = static_cast<std::size_t>(c.outputs[1].as<std::int32_t>()[0]) * 6;
    c.outputs[0].as<float>()[behind] = 0;
    EXPECT_FALSE(c.is_right()) << "written behind the last triangle";
}

// What is timed is the same kind for every seed, and so is its cost.
TEST(AllocateData, SizesThatAreTimedGiveAboutTheSameForEverySeed) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        Case map({"max_slots", "", 1 << 17, seed}), prose({"words", "", 1 << 21, seed});
        EXPECT_NEAR(map.outputs[1].as<std::int32_t>()[0], 1 << 16, 2000);
        EXPECT_NEAR(prose.outputs[2].as<std::int32_t>()[0], (1 << 21) / 6.9, 2000);
        EXPECT_EQ(Case({"load_balanced", "repeat_int32", 1 << 18, seed}).call.scalar("outputs"), 1 << 20);
    }
}

// ---- Words ----

// The text goes into a file, through the lab's reader, the plain CPU version and the lab's writer, and back.
class AllocateFiles : public testing::Test {
  protected:
    std::string path = (std::filesystem::temp_directory_path() /
                        ("allocate_test_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name())))
                           .string();
    ~AllocateFiles() override { std::filesystem::remove(path); }

    Case read(const Instance& asked, const std::string& content) {
        lab::write_file(path, content);
        lab::Problem problem = allocate_lab().files.read(asked, path);
        Case c(problem.instance);
        for (std::size_t i = 0; i < problem.inputs.size(); ++i)
            std::copy(problem.inputs[i].begin(), problem.inputs[i].end(), static_cast<std::byte*>(c.inputs[i].data));
        c.answer();
        EXPECT_TRUE(c.is_right());
        return c;
    }
    std::string written(const Instance& asked, const std::string& content, const std::string& ending) {
        Case c = read(asked, content);
        const std::string to = path + ending;
        allocate_lab().files.write(c.call, c.inputs, c.outputs, to);
        const std::string text = lab::read_file(to);
        std::filesystem::remove(to);
        return text;
    }
    std::string refused(const std::string& task, const std::string& content) {
        try {
            read({task, task == "load_balanced" ? "repeat_int32" : ""}, content);
        } catch (const lab::FileError& error) {
            return std::string(error.what()).substr(path.size() + 2);
        }
        return "";
    }
};

TEST_F(AllocateFiles, WordsAreWhatIsBetweenBlanks) {
    EXPECT_EQ(written({"words", ""}, "", ".txt"), "");
    EXPECT_EQ(written({"words", ""}, " \t\r\n\v\f", ".txt"), "");
    EXPECT_EQ(written({"words", ""}, "one", ".txt"), "one\n");
    EXPECT_EQ(written({"words", ""}, "\n\nTwo  words,\r\n\r\nno newline at the end", ".txt"),
              "Two\nwords,\nno\nnewline\nat\nthe\nend\n");
    EXPECT_EQ(written({"words", ""}, "über à\u00a0la 語 🎈", ".tsv"),
              "offset\tlength\tword\n0\t5\tüber\n6\t6\tà\u00a0la\n13\t3\t語\n17\t4\t🎈\n")
        << "bytes of a character stay together, and a no-break space is none of the six";
}

TEST_F(AllocateFiles, TrianglesAreLinesOfSixNumbers) {
    const Instance asked{"count_scan_scatter", "", 0, 0, {{"left", 0}, {"right", 10}, {"bottom", 0}, {"top", 10}}};
    EXPECT_EQ(written(asked, "# a triangle\n1,1, 2,1, 1,2\n\n 0 0;-4 5;0 10  # touches\r\n5,5, 15,5, 5,6", ".csv"),
              "# x0, y0, x1, y1, x2, y2\n1,1,2,1,1,2\n5,5,10,5,10,5.5\n5,5,10,5.5,5,6\n");
    EXPECT_NE(written(asked, "1,1,2,1,1,2", ".svg").find("class=\"out\" d=\"M1 -1L2 -1L1 -2Z\""), std::string::npos);
    EXPECT_EQ(refused("max_slots", "1 2 3 4 5 6\n1 2 3"),
              "line 2: six numbers make a triangle, x and y of each corner; here are 3");
    EXPECT_EQ(refused("max_slots", "1 2 3 4 5 6 7"),
              "line 1: six numbers make a triangle, x and y of each corner; here are 7");
    EXPECT_EQ(refused("max_slots", "1 2 3 4 5 six"), "line 1: 'six' is not a number");
    EXPECT_EQ(refused("max_slots", "1 2 3 4 5 nan"), "line 1: number 6 is not from -2^20 to 2^20");
    EXPECT_EQ(refused("max_slots", "1 2 3 4 -2e6 6"), "line 1: number 5 is not from -2^20 to 2^20");
    EXPECT_EQ(refused("max_slots", "1 2 3 4 5-6"), "line 1: '5-6' is not a number");
    EXPECT_EQ(refused("max_slots", "1 2 3 4 5 +-6"), "line 1: '+-6' is not a number");
    EXPECT_EQ(refused("max_slots", "1 2 3 4 5 1e999"), "line 1: '1e999' is too large for float32");
    EXPECT_EQ(refused("max_slots", "1 2 3 4 1e-50 +6"), "") << "0, and 6";
}

TEST_F(AllocateFiles, RunsAreLinesOfValueAndCount) {
    EXPECT_EQ(written({"load_balanced", "repeat_int32"}, "7,3\n# none of these:\n8,0\n-1,1\n", ".txt"),
              "7\n7\n7\n-1\n");
    EXPECT_EQ(written({"load_balanced", "count_up_int32"}, "7,3\n8,0\n-1,1", ".txt"), "7\n10\n13\n-1\n");
    EXPECT_EQ(refused("load_balanced", "7\n"), "line 1: a value without a count");
    EXPECT_EQ(refused("load_balanced", "7,1\n7,1,1\n"), "line 2: more than a value and a count");
    EXPECT_EQ(refused("load_balanced", "7,x"), "line 1: 'x' is not a whole number");
    EXPECT_EQ(refused("load_balanced", "7-1"), "line 1: '7-1' is not a whole number");
    EXPECT_EQ(refused("load_balanced", "7,99999999999"), "line 1: '99999999999' is too large for int32");
    EXPECT_EQ(refused("load_balanced", "7,1\n7,-1"), "element 1 has a count below 0: -1");
    EXPECT_EQ(refused("load_balanced", "7,2147483647"), "2,147,483,647 outputs are more than 67,108,864");
    EXPECT_THROW(read({"load_balanced", "repeat_int32", 0, 0, {{"outputs", 5}}}, "7,3"), lab::FileError);
    EXPECT_EQ(read({"load_balanced", "repeat_int32", 0, 0, {{"outputs", 3}}}, "7,3").call.n, 1);
}

TEST(AllocateScalars, ThatDoNotGoTogetherAreRefused) {
    const lab::Lab lab = allocate_lab();
    const auto with = [](Instance one, lab::Scalars scalars) {
        one.scalars = std::move(scalars);
        return one;
    };
    EXPECT_THROW(lab.complete(with({"max_slots", "", 3, 0}, {{"left", 1000}})), std::invalid_argument);
    EXPECT_THROW(lab.complete(with({"max_slots", "", 3, 0}, {{"top", -1}})), std::invalid_argument);
    EXPECT_THROW(lab.complete(with({"load_balanced", "repeat_int32", 0, 0}, {{"outputs", 1}})), std::invalid_argument);
    EXPECT_EQ(lab.complete({"words", "", 3, 0}).scalars.size(), 0u);
}

// ---- Elements with counts ----

TEST(RunsData, SeedsReachEveryKindOfInput) {
    bool first_has_all = false, last_has_all = false, one_inside_has_all = false, nobody_has_any = false,
         each_has_one = false, more_elements_than_outputs = false, long_stretch_without = false;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Case c({"load_balanced", "repeat_int32", 4000, seed});
        const std::span<std::int32_t> counts = c.inputs[1].as<std::int32_t>();
        const std::int64_t total = c.call.scalar("outputs");
        ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), total);
        ASSERT_GE(*std::ranges::min_element(counts), 0);
        const auto most = std::ranges::max_element(counts);
        const bool has_all = *most == total && total > 1000;
        first_has_all = first_has_all || (has_all && most == counts.begin());
        last_has_all = last_has_all || (has_all && most == counts.end() - 1);
        one_inside_has_all = one_inside_has_all || (has_all && most != counts.begin() && most != counts.end() - 1);
        nobody_has_any = nobody_has_any || total == 0;
        each_has_one = each_has_one || std::ranges::all_of(counts, [](int count) { return count == 1; });
        more_elements_than_outputs = more_elements_than_outputs || (total > 0 && total < 2000);
        int without = 0, longest = 0;
        for (const std::int32_t count : counts) longest = std::max(longest, without = count == 0 ? without + 1 : 0);
        long_stretch_without = long_stretch_without || (longest > 1500 && !has_all && total > 1000);
    }
    EXPECT_TRUE(first_has_all);
    EXPECT_TRUE(last_has_all);
    EXPECT_TRUE(one_inside_has_all);
    EXPECT_TRUE(nobody_has_any);
    EXPECT_TRUE(each_has_one);
    EXPECT_TRUE(more_elements_than_outputs);
    EXPECT_TRUE(long_stretch_without);
}

TEST(TextData, SeedsReachEveryKindOfInput) {
    std::set<std::uint8_t> bytes;
    bool is_one_word = false, has_none = false, has_most = false, ends_in_word = false, begins_with_blank = false;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Case c({"words", "", 3001, seed});
        const std::span<std::uint8_t> text = c.inputs[0].as<std::uint8_t>();
        const std::int32_t count = c.outputs[2].as<std::int32_t>()[0];
        bytes.insert(text.begin(), text.end());
        is_one_word = is_one_word || c.outputs[1].as<std::int32_t>()[0] == 3001;
        has_none = has_none || count == 0;
        has_most = has_most || count == 1501;
        ends_in_word = ends_in_word || (count > 1 && text.back() > ' ');
        begins_with_blank = begins_with_blank || (count > 1 && text.front() == ' ');
    }
    EXPECT_EQ(bytes.size(), 256u);
    EXPECT_TRUE(is_one_word);
    EXPECT_TRUE(has_none);
    EXPECT_TRUE(has_most);
    EXPECT_TRUE(ends_in_word);
    EXPECT_TRUE(begins_with_blank);
}

}  // namespace
