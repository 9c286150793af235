#include "grading/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <limits>

namespace {

using lab::parse_number;

constexpr std::errc kNumber{}, kNone = std::errc::invalid_argument, kTooLarge = std::errc::result_out_of_range;

template <class T>
T number(const std::string& word) {
    T result{};
    EXPECT_EQ(parse_number(word, result), kNumber) << word;
    return result;
}

template <class T>
std::errc error(const std::string& word) {
    T result{};
    return parse_number(word, result);
}

TEST(ParseNumber, WholeNumbersWithTheirSigns) {
    EXPECT_EQ(number<std::int32_t>("-2147483648"), std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(number<std::int32_t>("+7"), 7);
    EXPECT_EQ(number<std::int64_t>("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(number<std::uint8_t>("255"), 255);
    for (const char* word : {"", "+", "-", "+-5", "-+5", "++5", "--5", "5-6", "1.5", "7x", "x", "0x7", " 7", "1e3"})
        EXPECT_EQ(error<std::int32_t>(word), kNone) << word;
    for (const char* word : {"2147483648", "-2147483649", "+99999999999999999999999"})
        EXPECT_EQ(error<std::int32_t>(word), kTooLarge) << word;
    EXPECT_EQ(error<std::int32_t>("99999999999x"), kNone);
}

TEST(ParseNumber, FloatsTooSmallAre0AndTooLargeAreRefused) {
    EXPECT_EQ(number<float>("+.5"), 0.5f);
    EXPECT_EQ(number<float>("-1.5e2"), -150.0f);
    EXPECT_EQ(number<float>("1e-45"), std::numeric_limits<float>::denorm_min());
    const std::string zeros(400, '0'), ones(400, '1');
    for (const std::string& word :
         {std::string("1e-50"), std::string("1e-999"), "0." + zeros + "1", "1" + zeros + "e-999"})
        EXPECT_EQ(number<float>(word), 0) << word;
    EXPECT_EQ(number<double>("1e-50"), 1e-50);
    EXPECT_TRUE(std::signbit(number<float>("-1e-999")));
    for (const std::string& word : {std::string("1e39"), std::string("-1e999"), ones, ones + "e-10"})
        EXPECT_EQ(error<float>(word), kTooLarge) << word;
    EXPECT_EQ(error<double>(ones + "e-10"), kTooLarge);
    EXPECT_EQ(number<float>("-inf"), -std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(number<float>("nan")));
    for (const char* word : {"", "+", "+-1.5", "-+1.5", "+inf", "+nan", "1e", "1,5", "1e999x", "1e-999x", "five"})
        EXPECT_EQ(error<float>(word), kNone) << word;
}

class Numbers : public testing::Test {
  protected:
    ~Numbers() override { std::remove(path.c_str()); }
    void put(const std::string& text) const { lab::write_file(path, text); }
    std::string refusal(const std::string& text) const {
        put(text);
        try {
            lab::read_numbers<std::int32_t>(path, "; write smaller ones");
        } catch (const lab::FileError& e) {
            return std::string(e.what()).substr(path.size() + 2);
        }
        return "";
    }
    std::string path = testing::TempDir() + "numbers_" + std::to_string(getpid()) + ".txt";
};

TEST_F(Numbers, StandBetweenBlanksCommasSemicolonsAndComments) {
    put("1 2,3;\t4\r\n\n# none: 5\n ,6# 7\n8");
    EXPECT_EQ(lab::read_numbers<std::int64_t>(path), (std::vector<std::int64_t>{1, 2, 3, 4, 6, 8}));
    std::string lines;
    lab::read_lines_of_numbers<std::int32_t>(path, [&](std::int64_t line, std::span<const std::int32_t> numbers) {
        lines += std::to_string(line) + ":" + std::to_string(numbers.size()) + " ";
    });
    EXPECT_EQ(lines, "1:4 4:1 5:1 ");
    put("");
    EXPECT_TRUE(lab::read_numbers<float>(path).empty());
}

TEST_F(Numbers, AreRefusedWithTheirLine) {
    EXPECT_EQ(refusal("1\n2 x\n"), "line 2: 'x' is not a whole number");
    EXPECT_EQ(refusal("1\n\n2147483648"), "line 3: '2147483648' is too large for int32; write smaller ones");
    EXPECT_EQ(refusal("\xff" + std::string(30, 'x')),
              "line 1: '?" + std::string(23, 'x') + "...' is not a whole number");
    put("1.5 two");
    EXPECT_THROW(lab::read_numbers<float>(path), lab::FileError);
}

}  // namespace
