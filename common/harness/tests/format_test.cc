#include "grading/format.h"

#include <gtest/gtest.h>

namespace {

TEST(Format, NumbersAreReadable) {
    EXPECT_EQ(lab::with_commas(0), "0");
    EXPECT_EQ(lab::with_commas(999), "999");
    EXPECT_EQ(lab::with_commas(1'000'003), "1,000,003");
    EXPECT_EQ(lab::with_commas(-123'456), "-123,456");
    EXPECT_EQ(lab::with_commas(INT64_MIN), "-9,223,372,036,854,775,808");
    EXPECT_EQ(lab::count_of(0, "value"), "0 values");
    EXPECT_EQ(lab::count_of(1, "value"), "1 value");
    EXPECT_EQ(lab::count_of(1000, "value"), "1,000 values");
    EXPECT_EQ(lab::format_bytes(1), "1 byte");
    EXPECT_EQ(lab::format_bytes(512), "512 bytes");
    EXPECT_EQ(lab::format_bytes(3 << 20), "3.00 MiB");
    EXPECT_EQ(lab::format_seconds(41e-6), "0.041 ms");
    EXPECT_EQ(lab::format_seconds(2.5), "2.50 s");
    EXPECT_EQ(lab::format_seconds(3e-6), "3.00 us");
    EXPECT_EQ(lab::format_rate(195e9), "195 GB/s");
    EXPECT_EQ(lab::file_name("/a/b/scan.cu"), "scan.cu");
    EXPECT_EQ(lab::file_name("scan.cu"), "scan.cu");
}

}  // namespace
