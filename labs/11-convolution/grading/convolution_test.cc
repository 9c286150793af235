// Lab 11's tests: every task and public size, and what is particular to convolutions.
#include "convolution.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <stdexcept>

#include "grading/files.h"
#include "grading/filters.h"
#include "grading/image.h"
#include "harness/lab_test.h"

lab::Lab convolution_lab();

namespace {

using lab::Array;
using lab::Instance;

class Convolution : public lab::testing::LabTest {};

TEST_P(Convolution, GivesWhatTheOracleExpects) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Tasks, Convolution, testing::ValuesIn(lab::testing::public_cases()),
                         lab::testing::name_of_case);

class ConvolutionInAnyOrder : public lab::testing::LabTest {};

TEST_P(ConvolutionInAnyOrder, IsRightInEverySchedule) {
    for (std::uint64_t schedule = 1; schedule <= 5; ++schedule) run(GetParam(), schedule);
}

std::vector<Instance> cases_of(std::int64_t width, std::int64_t height, std::int64_t radius, Border border) {
    std::vector<Instance> cases;
    for (const lab::Task& task : convolution_lab().tasks)
        cases.push_back({task.name,
                         "",
                         width * height,
                         1,
                         {{"width", width}, {"radius", radius}, {"border", static_cast<std::int64_t>(border)}}});
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Tasks, ConvolutionInAnyOrder, testing::ValuesIn(cases_of(101, 77, 5, Border::wrap)),
                         lab::testing::name_of_case);

// Images smaller than the filter, narrower than a warp, and a pixel larger than a tile; the smallest and the largest
// filter.
std::vector<Instance> cases_of_shapes() {
    std::vector<Instance> cases;
    const std::pair<std::int64_t, std::int64_t> shapes[] = {{1, 1},   {1, 300}, {300, 1}, {2, 3},  {5, 70},
                                                            {31, 31}, {32, 32}, {33, 65}, {129, 9}};
    for (const auto& [width, height] : shapes)
        for (const std::int64_t radius : {0, 2, 15})
            for (const Border border : {Border::zero, Border::clamp, Border::wrap})
                for (const Instance& one : cases_of(width, height, radius, border)) cases.push_back(one);
    return cases;
}

TEST_F(Convolution, IsRightForEveryShapeFilterAndBorder) {
    for (const Instance& one : cases_of_shapes()) {
        SCOPED_TRACE(testing::PrintToString(one));
        run(one);
    }
}

TEST_F(Convolution, WritesNothingForAnEmptyImage) {
    for (const lab::Task& task : convolution_lab().tasks)
        for (const std::int64_t width : {0, 5})
            for (const std::int64_t height : {0, 7})
                if (width * height == 0) run({task.name, "", 0, 1, {{"width", width}, {"height", height}}});
}

TEST_F(Convolution, TakesAnImageAsHighAsTheContractAllows) {
    for (const char* task : {"naive", "separable"})  // their blocks have only 8 rows
        run({task, "", kMaxSide, 1, {{"width", 1}, {"radius", 1}}});
}

// ---- Inputs and answers, without a device ----

struct Case : lab::testing::Case {
    using lab::testing::Case::Case;
    std::span<float> pixels() { return inputs[0].as<float>(); }
    std::span<float> filter() { return inputs[1].as<float>(); }
    std::span<float> result() { return outputs[0].as<float>(); }
};

void set(std::span<float> numbers, std::initializer_list<float> values) { std::ranges::copy(values, numbers.begin()); }

Instance image_of(std::int64_t width, std::int64_t height, std::int64_t radius, Border border) {
    return cases_of(width, height, radius, border)[0];
}

TEST(ConvolutionData, ABrightPixelBecomesAPictureOfTheFilter) {
    Case c(image_of(7, 5, 1, Border::zero));
    std::ranges::fill(c.pixels(), 0);
    c.pixels()[2 * 7 + 3] = 1;
    set(c.filter(), {1, 2, 3, 4, 5, 6, 7, 8, 9});
    c.answer();
    const std::vector<double>& value = c.expected[0].value;
    EXPECT_EQ(std::vector<double>(value.begin() + 9, value.begin() + 12), (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(std::vector<double>(value.begin() + 16, value.begin() + 19), (std::vector<double>{4, 5, 6}));
    EXPECT_EQ(std::vector<double>(value.begin() + 23, value.begin() + 26), (std::vector<double>{7, 8, 9}));
    EXPECT_EQ(std::accumulate(value.begin(), value.end(), 0.0), 45);
}

TEST(ConvolutionData, BordersAreWhatTheContractSays) {
    for (const auto& [border, first] : {std::pair{Border::zero, 2.0}, {Border::clamp, 1.0}, {Border::wrap, 4.0}}) {
        Case c(image_of(4, 1, 1, border));  // one weight, that of the neighbour to the left; a row above and below
        set(c.pixels(), {1, 2, 3, 4});
        set(c.filter(), {0, 0, 0, 0, 0, 1, 0, 0, 0});
        c.answer();
        const std::vector<double> rest{1, 2, 3}, value = c.expected[0].value;
        EXPECT_EQ(value[0], border == Border::zero ? 0 : first);
        EXPECT_EQ(std::vector<double>(value.begin() + 1, value.end()), rest);
    }
    Case far(image_of(3, 1, 15, Border::wrap));
    set(far.pixels(), {1, 2, 3});
    std::ranges::fill(far.filter(), 0);
    far.filter()[0] = 1;  // in(x + 15, y + 15): five images on
    far.answer();
    EXPECT_EQ(far.expected[0].value, (std::vector<double>{1, 2, 3}));
    std::swap(far.filter()[0], far.filter()[1]);  // in(x + 14, y + 15)
    far.answer();
    EXPECT_EQ(far.expected[0].value, (std::vector<double>{3, 1, 2}));
}

TEST(ConvolutionData, PlainCpuVersionAgreesWithTheOracle) {
    for (const Instance& one : cases_of_shapes()) EXPECT_EQ(Case(one).wrong(), "") << testing::PrintToString(one);
}

TEST(ConvolutionData, SeparableIsTheFilterOfItsProducts) {
    Case one(cases_of(19, 23, 3, Border::clamp)[3]), all(image_of(19, 23, 3, Border::clamp));
    ASSERT_EQ(one.call.task, "separable");
    for (std::size_t j = 0; j < 7; ++j)
        for (std::size_t i = 0; i < 7; ++i) all.filter()[j * 7 + i] = one.inputs[2].as<float>()[j] * one.filter()[i];
    std::ranges::copy(one.pixels(), all.pixels().begin());
    all.answer();
    const auto &expected = one.expected[0], &products = all.expected[0];
    for (std::size_t k = 0; k < expected.value.size(); ++k)
        EXPECT_NEAR(expected.value[k], products.value[k], products.tolerance[k]);
}

// With seed 0, all pixels and weights have magnitudes between 1/2 and 1.
TEST(ConvolutionTolerance, RejectsASumWithoutASingleProduct) {
    for (std::int64_t radius = 0; radius <= kMaxRadius; ++radius) {
        for (const std::size_t task : {0, 3}) {
            Instance asked = cases_of(40, 33, radius, Border::wrap)[task];
            asked.seed = 0;
            Case c(asked);
            ASSERT_EQ(c.wrong(), "") << "all products, radius " << radius;
            const lab::Expected& expected = c.expected[0];
            const std::span<float> weights = c.filter();
            for (std::size_t k = 0; k < weights.size(); k += 1 + weights.size() / 16) {
                const float weight = std::exchange(weights[k], 0.0f);
                convolution_lab().cpu(c.call, c.inputs, c.outputs);
                weights[k] = weight;
                std::size_t unseen = 0;
                for (std::size_t at = 0; at < c.result().size(); ++at)
                    unseen += std::abs(c.result()[at] - expected.value[at]) <= expected.tolerance[at];
                // A weight of a row is in many products, whose sum may be 0 here and there.
                EXPECT_LE(unseen, asked.task == "separable" ? 3u : 0u) << "weight " << k << " of radius " << radius;
            }
        }
    }
}

TEST(ConvolutionTolerance, RejectsNaN) {
    Case c(image_of(9, 9, 2, Border::zero));
    ASSERT_TRUE(c.is_right());
    c.result()[40] = NAN;
    EXPECT_FALSE(c.is_right());
}

TEST(ConvolutionData, SeedsReachEveryKindOfInput) {
    std::set<std::int64_t> radii, widths;
    std::set<std::size_t> bright;  // pixels that are not 0
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Case c({"naive", "", 1260, seed});
        radii.insert(c.call.scalar("radius"));
        widths.insert(c.call.scalar("width"));
        EXPECT_EQ(c.call.scalar("width") * c.call.scalar("height"), 1260);
        bright.insert(1260 - static_cast<std::size_t>(std::count(c.pixels().begin(), c.pixels().end(), 0.0f)));
    }
    EXPECT_EQ(radii.size(), 16u);
    EXPECT_EQ(*widths.begin(), 1);
    EXPECT_EQ(*widths.rbegin(), 1260);
    EXPECT_GE(widths.size(), 20u);
    EXPECT_TRUE(bright.contains(1));
    EXPECT_TRUE(bright.contains(1260));
}

TEST(ConvolutionData, WhatIsTimedHasTheSameSizesForEverySeed) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Instance call = convolution_lab().complete({"naive", "", 1 << 18, seed});
        EXPECT_EQ(call.scalar("width"), 512);
        EXPECT_EQ(call.scalar("radius"), 3);
        EXPECT_EQ(call.scalar("border"), 0);
    }
}

TEST(ConvolutionData, WhatDoesNotGoTogetherIsRefused) {
    const auto complete = [](const char* task, std::int64_t n, lab::Scalars scalars) {
        return convolution_lab().complete({task, "", n, 1, std::move(scalars)});
    };
    const auto number = [](Filter filter) { return static_cast<std::int64_t>(filter); };
    EXPECT_EQ(complete("naive", 12, {{"width", 4}}).scalar("height"), 3);
    EXPECT_THROW(complete("naive", 12, {{"width", 5}}), std::invalid_argument);
    EXPECT_THROW(complete("naive", 1'000'003, {}), std::invalid_argument) << "a prime above the longest side";
    EXPECT_THROW(complete("naive", kMaxSide + 1, {{"width", 1}}), std::invalid_argument);
    EXPECT_EQ(complete("naive", 9, {{"filter", number(Filter::sobel_x)}}).scalar("radius"), 1);
    EXPECT_THROW(complete("naive", 9, {{"filter", number(Filter::sobel_x)}, {"radius", 2}}), std::invalid_argument);
    EXPECT_EQ(convolution_lab().complete({"naive", "wrap", 9, 1}).scalar("border"), 2);
    EXPECT_EQ(convolution_lab().complete({"naive", "wrap", 9, 1, {{"border", 1}}}).variant, "clamp");
    EXPECT_NO_THROW(complete("separable", 9, {{"filter", number(Filter::gaussian)}}));
    EXPECT_THROW(complete("separable", 9, {{"filter", number(Filter::sharpen)}, {"radius", 2}}), std::invalid_argument);
}

// ---- Filters by name ----

TEST(Filters, KeepTheBrightnessOrTakeItAway) {
    for (const Filter filter : {Filter::box, Filter::gaussian, Filter::sharpen, Filter::sobel_x, Filter::sobel_y}) {
        for (std::int64_t radius = is_sobel(filter) ? 1 : 0; radius <= (is_sobel(filter) ? 1 : kMaxRadius); ++radius) {
            const auto weights = named_filter(filter, radius);
            EXPECT_EQ(weights.size(), static_cast<std::size_t>((2 * radius + 1) * (2 * radius + 1)));
            EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), is_sobel(filter) ? 0 : 1, 1e-12);
        }
    }
}

TEST(Filters, ARowTimesAColumnIsFound) {
    for (const Filter filter : {Filter::box, Filter::gaussian, Filter::sobel_x, Filter::sobel_y}) {
        const std::int64_t radius = is_sobel(filter) ? 1 : 7;
        const auto weights = named_filter(filter, radius);
        const auto factors = factors_of(weights);
        ASSERT_TRUE(factors) << kFilterNames[static_cast<std::size_t>(filter)];
        const std::size_t size = factors->row.size();
        for (std::size_t at = 0; at < weights.size(); ++at)
            EXPECT_NEAR(factors->column[at / size] * factors->row[at % size], weights[at], 1e-12);
    }
    EXPECT_TRUE(factors_of({0, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_TRUE(factors_of({0, 0, 0, 0, 0, 5, 0, 0, 0}));
    EXPECT_FALSE(factors_of({1, 0, 0, 0, 1, 0, 0, 0, 1}));
    EXPECT_FALSE(factors_of(named_filter(Filter::sharpen, 1)));
}

// ---- Pictures ----

class ConvolutionPicture : public testing::Test {
  protected:
    std::string path =
        (std::filesystem::temp_directory_path() /
         ("convolution_test_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".ppm"))
            .string();
    ~ConvolutionPicture() override { std::filesystem::remove(path); }

    // The picture goes into a file, through the lab's reader, its plain CPU version and its writer, and back.
    lab::Image filtered(const lab::Image& picture, Filter filter, std::int64_t radius, Border border) {
        lab::write_image(path, picture);
        const lab::Lab lab = convolution_lab();
        Instance asked{"separable",
                       "",
                       0,
                       0,
                       {{"filter", static_cast<std::int64_t>(filter)},
                        {"border", static_cast<std::int64_t>(border)},
                        {"radius", radius}}};
        lab::Problem problem = lab.files.read(asked, path);
        const Instance call = lab.complete(problem.instance);
        const lab::Shape shape = lab.shape(call);
        std::vector<Array> inputs;
        for (std::size_t i = 0; i < shape.inputs.size(); ++i)
            inputs.push_back({shape.inputs[i], problem.inputs[i].data()});
        std::vector<float> values(shape.outputs[0].count);
        const Array out{shape.outputs[0], values.data()};
        lab.cpu(call, inputs, {&out, 1});
        lab.files.write(call, inputs, {&out, 1}, path);
        return lab::read_image(path);
    }
};

TEST_F(ConvolutionPicture, ColoursDoNotReachIntoEachOther) {
    const lab::Image picture{2, 3, 3, {90, 0, 30, 90, 0, 30, 90, 0, 60, 90, 0, 60, 90, 0, 90, 90, 0, 90}};
    const lab::Image clamped = filtered(picture, Filter::box, 1, Border::clamp);
    EXPECT_EQ(clamped.width, 2u);
    EXPECT_EQ(clamped.height, 3u);
    EXPECT_EQ(clamped.pixels,
              (std::vector<std::uint8_t>{90, 0, 40, 90, 0, 40, 90, 0, 60, 90, 0, 60, 90, 0, 80, 90, 0, 80}));
    const lab::Image wrapped = filtered(picture, Filter::box, 1, Border::wrap);
    EXPECT_EQ(wrapped.pixels,
              (std::vector<std::uint8_t>{90, 0, 60, 90, 0, 60, 90, 0, 60, 90, 0, 60, 90, 0, 60, 90, 0, 60}));
    const lab::Image dark = filtered(picture, Filter::box, 1, Border::zero);  // 4 of 9 pixels, then 6 of 9
    EXPECT_EQ(dark.pixels,
              (std::vector<std::uint8_t>{40, 0, 20, 40, 0, 20, 60, 0, 40, 60, 0, 40, 40, 0, 33, 40, 0, 33}));
}

TEST_F(ConvolutionPicture, SlopesShowTheirSize) {
    const lab::Image edge{
        4, 2, 3, {0, 0, 0, 0, 0, 0, 50, 50, 50, 50, 50, 50, 0, 0, 0, 0, 0, 0, 50, 50, 50, 50, 50, 50}};
    const lab::Image slopes = filtered(edge, Filter::sobel_x, 1, Border::clamp);
    EXPECT_EQ(slopes.pixels, (std::vector<std::uint8_t>{0, 0, 0, 200, 200, 200, 200, 200, 200, 0, 0, 0,
                                                        0, 0, 0, 200, 200, 200, 200, 200, 200, 0, 0, 0}));
    const lab::Image back = filtered(slopes, Filter::sobel_y, 1, Border::clamp);
    EXPECT_EQ(back.pixels, std::vector<std::uint8_t>(24, 0));
}

TEST_F(ConvolutionPicture, IsRefusedWithAWidthOfItsOwn) {
    lab::write_image(path, {2, 1, 3, {1, 2, 3, 4, 5, 6}});
    EXPECT_THROW(convolution_lab().files.read({"naive", "", 0, 0, {{"width", 3}}}, path), lab::FileError);
}

}  // namespace
