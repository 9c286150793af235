// What-if rules `by index` and `one at a time`: threads go one after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "what_if_harness.h"

namespace vgpu {
namespace {

constexpr int kTurnValues = 700;
constexpr Shape kTurnGrid{.grid = {7, 1, 1}, .block = {128, 1, 1}};

std::vector<int> some_values() {
    std::vector<int> values;
    for (int i = 0; i < kTurnValues; ++i) values.push_back(i * 37 % 1000);
    return values;
}

// ---- By index ----

std::vector<int> drawn(const std::string& kernel, std::uint64_t seed, const std::string& rules) {
    WhatIf gpu(seed, rules);
    const DevicePtr in = gpu.array(some_values(), "in"), out = gpu.array(std::vector<int>(kTurnValues), "out"),
                    count = gpu.array(std::vector<int>(1), "count");
    const LaunchResult r = gpu.run(kernel, kTurnGrid, in, out, count, kTurnValues);
    EXPECT_EQ(r.status, Status::ok) << r.message;
    EXPECT_EQ(findings(r), "");
    return gpu.values<int>(out, kTurnValues);
}

class ByIndex : public testing::TestWithParam<const char*> {};
TEST_P(ByIndex, PlacesAreInOrder) {
    std::vector<int> right(kTurnValues), sorted;
    std::ranges::copy_if(some_values(), right.begin(), [](int value) { return value % 3 != 0; });
    sorted = right;
    std::ranges::sort(sorted);
    bool was_wrong = false;
    for (const std::uint64_t seed : kSeeds) {
        for (const char* other : {"", "zero memory; rewind"}) {
            std::vector<int> got = drawn(GetParam(), seed, other);
            was_wrong |= got != right;
            std::ranges::sort(got);
            EXPECT_EQ(got, sorted) << seed;
        }
        EXPECT_EQ(drawn(GetParam(), seed, "by index"), right) << seed;
    }
    EXPECT_TRUE(was_wrong);
}
INSTANTIATE_TEST_SUITE_P(Kernels, ByIndex, testing::Values("draws", "draws_often", "draws_by_cas"),
                         [](const auto& info) { return std::string(info.param); });

TEST(ByIndexOf, SumsOfFloatsHaveTheSameBits) {
    std::vector<float> values;
    for (int i = 0; i < kTurnValues; ++i) values.push_back(1.0f / static_cast<float>(1 + i * 37 % 1000));
    std::set<float> without, with;
    for (const std::uint64_t seed : kSeeds)
        for (const char* rules : {"", "by index"}) {
            WhatIf gpu(seed, rules);
            const DevicePtr in = gpu.array(values, "in"), out = gpu.array(std::vector<float>(1), "out");
            EXPECT_EQ(findings(gpu.run("sums", kTurnGrid, in, out, kTurnValues)), "");
            (*rules == 0 ? without : with).insert(gpu.values<float>(out, 1)[0]);
        }
    EXPECT_GT(without.size(), 1u);
    EXPECT_EQ(with.size(), 1u);
}

// Blocks that wait for each other, or lanes that wait for others of their warp, still do so.
TEST(ByIndexOf, WhatWaitsForOthersEnds) {
    for (const char* kernel :
         {"right_lock", "right_chain_of_words", "right_last_block", "right_grid_barrier_by_hand"}) {
        Gpu gpu(3);
        gpu.options.max_stall_steps = 1 << 14;
        std::string why;
        ASSERT_TRUE(what_if::parse("by index", gpu.options.what_if, why));
        gpu.executor.configure(gpu.options);
        gpu.load("races");
        const std::vector<int> zeros(1024);
        const DevicePtr data = gpu.array(zeros), flags = gpu.array(std::vector<int>(8)), out = gpu.array(zeros);
        const LaunchResult r = gpu.run(kernel, {.grid = {8, 1, 1}, .block = {64, 1, 1}, .room = 8}, data, flags, out);
        EXPECT_EQ(r.status, Status::ok) << kernel << ": " << r.message;
        EXPECT_EQ(findings(r), "") << kernel;
    }
}

// ---- One at a time ----

struct Lost {
    const char* kernel;
    std::string rule, sham;
};

class OneAtATime : public testing::TestWithParam<Lost> {
  protected:
    static WhatIfAnswer run(std::uint64_t seed, const std::string& rules) {
        const std::string kernel = GetParam().kernel;
        WhatIf gpu(seed, rules);
        const DevicePtr in = gpu.array(some_values(), "in"), out = gpu.array(std::vector<int>(8), "out");
        const Shape shape = kernel == "counts_in_shared" ? Shape{.block = {256, 1, 1}} : kTurnGrid;
        const LaunchResult r = gpu.run(kernel, shape, in, out, kTurnValues);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        return {gpu.values<int>(out, 8), findings(r)};
    }
    static std::vector<int> right() {
        std::vector<int> out(8);
        for (const int value : some_values()) ++out[static_cast<std::size_t>(value % 8)];
        if (std::string(GetParam().kernel) == "largest") out = {std::ranges::max(some_values()), 0, 0, 0, 0, 0, 0, 0};
        return out;
    }
};

TEST_P(OneAtATime, LosesNothing) {
    for (const std::uint64_t seed : kThreeSeeds) {
        EXPECT_NE(run(seed, "").findings, "");
        EXPECT_NE(run(seed, GetParam().sham).findings, "");
        EXPECT_NE(run(seed, "by index").findings, "");
        const WhatIfAnswer alone = run(seed, GetParam().rule);
        EXPECT_EQ(alone.findings, "");
        EXPECT_EQ(alone.values, right());
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, OneAtATime,
                         testing::Values(Lost{"counts_in_shared", "one at a time " + place("bins_counted"),
                                              "one at a time " + place("bins_written")},
                                         Lost{"counts_in_global", "one at a time " + place("global_counted"),
                                              "one at a time " + place("bins_counted")},
                                         Lost{"largest",
                                              "one at a time " + place("largest_read") + " " + place("largest_written"),
                                              "one at a time " + place("largest_read")}),
                         [](const auto& info) { return std::string(info.param.kernel); });

}  // namespace
}  // namespace vgpu
