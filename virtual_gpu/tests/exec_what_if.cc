// What-if rules: a kernel with a mistake is wrong without its rule, and right and free of findings under it. A rule
// elsewhere, or another rule, repairs nothing.
#include <gtest/gtest.h>

#include <numeric>

#include "what_if_harness.h"

namespace vgpu {
namespace {

// ---- Writing rules ----

TEST(WhatIfRules, AreRead) {
    what_if::Rules rules;
    std::string why;
    ASSERT_TRUE(what_if::parse("", rules, why));
    EXPECT_FALSE(rules.change_code());
    ASSERT_TRUE(what_if::parse(" rewind;zero shared ; order a b.cu:3 /x:y/c.cu:41:write;", rules, why)) << why;
    EXPECT_TRUE(rules.rewind && rules.zero_shared && rules.change_code());
    EXPECT_FALSE(rules.zero_memory || rules.by_index);
    ASSERT_EQ(rules.orders.size(), 1u);
    EXPECT_EQ(rules.orders[0].first.file, "a b.cu");
    EXPECT_EQ(rules.orders[0].first.line, 3);
    EXPECT_EQ(rules.orders[0].second.file, "/x:y/c.cu");
    EXPECT_EQ(rules.orders[0].second.line, 41);
    EXPECT_EQ(rules.orders[0].second.access, what_if::Access::write);
    ASSERT_TRUE(what_if::parse("one at a time h.cu:9", rules, why)) << why;
    EXPECT_TRUE(rules.orders.empty()) << "rules of before are gone";
    ASSERT_EQ(rules.one_at_a_time.size(), 1u);
    EXPECT_EQ(rules.one_at_a_time[0].second.line, 9);
}

TEST(WhatIfRules, AreRefusedWithASentence) {
    for (const char* wrong : {"rewinds", "zero", "zero everything", "order", "order a.cu:1", "order a.cu:0 a.cu:2",
                              "order a.cu:1 a.cu:2 a.cu:3", "order a.cu:1:atomic a.cu:2", "one at a time", "rewind now",
                              "one at a time a.cu:1:read", "order a.cu:99999999999 a.cu:2", "rewind; x"}) {
        what_if::Rules rules;
        std::string why;
        EXPECT_FALSE(what_if::parse(wrong, rules, why)) << wrong;
        EXPECT_NE(why.find("there is no what-if rule"), std::string::npos) << wrong << ": " << why;
    }
}

TEST(WhatIfRules, NameFilesByTheEndOfTheirPath) {
    const what_if::Spot spot{"scan.cu", 3, what_if::Access::any};
    EXPECT_TRUE(spot.names("scan.cu") && spot.names("/labs/scan.cu"));
    EXPECT_FALSE(spot.names("/labs/myscan.cu") || spot.names("scan.cu.h") || spot.names(""));
}

// ---- Variables ----

// The second call, as the first one is right.
WhatIfAnswer never_reset(std::uint64_t seed, const std::string& rules) {
    WhatIf gpu(seed, rules);
    const DevicePtr out = gpu.array(std::vector<int>(1000));
    WhatIfAnswer answer;
    for (int call = 0; call < 2; ++call) {
        gpu.begin_call();
        const LaunchResult r = gpu.run("never_reset", {.grid = {1000, 1, 1}}, out);
        answer = {gpu.values<int>(out, 1000), findings(r)};
    }
    return answer;
}

TEST(WhatIfRewind, VariablesAreAsInTheFirstCall) {
    for (const std::uint64_t seed : kThreeSeeds) {
        EXPECT_EQ(never_reset(seed, "").values[999], 101) << seed;
        EXPECT_EQ(never_reset(seed, "rewind").values, never_reset(seed, "rewind; zero shared").values) << seed;
        EXPECT_EQ(never_reset(seed, "rewind").values[0], 7) << seed;
        EXPECT_EQ(never_reset(seed, "zero memory; zero shared; zero outputs; zero local").values[999], 101) << seed;
        EXPECT_EQ(never_reset(seed, "zero variables").values[0], 0) << seed;
    }
}

// ---- Zeros ----

constexpr Shape kZeroShape{.grid = {4, 1, 1}, .block = {64, 1, 1}};

WhatIfAnswer shared_not_cleared(std::uint64_t seed, const std::string& rules) {
    WhatIf gpu(seed, rules);
    const DevicePtr out = gpu.array(std::vector<int>(32));
    const LaunchResult r = gpu.run("shared_not_cleared", kZeroShape, out);
    return {gpu.values<int>(out, 32), findings(r)};
}

TEST(WhatIfZero, Shared) {
    const std::vector<int> right(32, 8);
    for (const std::uint64_t seed : kThreeSeeds) {
        for (const char* none : {"", "zero memory", "zero outputs; zero variables; rewind; zero local"})
            EXPECT_NE(shared_not_cleared(seed, none).values, right) << seed << none;
        EXPECT_NE(shared_not_cleared(seed, "").findings, "");
        const WhatIfAnswer zeroed = shared_not_cleared(seed, "zero shared");
        EXPECT_EQ(zeroed.values, right);
        EXPECT_EQ(zeroed.findings, "");
    }
}

WhatIfAnswer counts_into(std::uint64_t seed, const std::string& rules, bool is_output) {
    WhatIf gpu(seed, rules);
    const DevicePtr out = gpu.fresh<int>(8);
    if (is_output) gpu.memory.fill(out, 0xA5, 1, 32);
    if (is_output) gpu.memory.forget(out, 32);
    const LaunchResult r = gpu.run("counts_into", kZeroShape, out);
    const std::string undefined = gpu.memory.take_undefined(out, 32) ? "undefined" : "";
    return {gpu.values<int>(out, 8), findings(r) + undefined};
}

TEST(WhatIfZero, MemoryAndOutputs) {
    const std::vector<int> right(8, 32);
    for (const std::uint64_t seed : kThreeSeeds)
        for (const bool is_output : {false, true}) {
            const char* rule = is_output ? "zero outputs" : "zero memory";
            for (const char* none : {"", is_output ? "zero memory" : "zero outputs", "zero shared; rewind"}) {
                EXPECT_NE(counts_into(seed, none, is_output).values, right) << seed << none;
                EXPECT_NE(counts_into(seed, none, is_output).findings, "") << seed << none;
            }
            EXPECT_EQ(counts_into(seed, rule, is_output).values, right);
            EXPECT_EQ(counts_into(seed, rule, is_output).findings, "");
        }
}

WhatIfAnswer local_not_cleared(std::uint64_t seed, const std::string& rules) {
    WhatIf gpu(seed, rules);
    std::vector<int> values(40);
    std::iota(values.begin(), values.end(), 0);
    const DevicePtr in = gpu.array(values), out = gpu.fresh<int>(32 * 9);
    const LaunchResult r = gpu.run("local_not_cleared", {}, in, out, 40);
    const std::string undefined = gpu.memory.take_undefined(out, 32 * 36) ? "undefined" : "";
    return {gpu.values<int>(out, 9), findings(r) + undefined};
}

TEST(WhatIfZero, Local) {
    const std::vector<int> right{5, 5, 5, 5, 5, 5, 5, 5, 774};
    for (const std::uint64_t seed : kThreeSeeds) {
        EXPECT_NE(local_not_cleared(seed, "").values, right);
        EXPECT_NE(local_not_cleared(seed, "zero shared; zero memory").findings, "");
        EXPECT_EQ(local_not_cleared(seed, "zero local").values, right);
        EXPECT_EQ(local_not_cleared(seed, "zero local").findings, "");
    }
}

}  // namespace
}  // namespace vgpu
