// What-if rule `in place`: reads of global memory see what was there before the launch.
#include <gtest/gtest.h>

#include "what_if_harness.h"

namespace vgpu {
namespace {

constexpr int kSquares = 500;

std::vector<int> squares() {
    std::vector<int> values;
    for (int i = 0; i < kSquares; ++i) values.push_back(i * i);
    return values;
}

WhatIfAnswer run_in_place(const std::string& kernel, std::uint64_t seed, const std::string& rules) {
    WhatIf gpu(seed, rules);
    const DevicePtr data = gpu.array(squares(), "data");
    const LaunchResult r = gpu.run(kernel, {.grid = {8, 1, 1}, .block = {64, 1, 1}}, data, kSquares);
    EXPECT_EQ(r.status, Status::ok) << r.message;
    return {gpu.values<int>(data, kSquares), findings(r)};
}

TEST(WhatIfInPlace, NeighboursAreAsBefore) {
    const std::vector<int> old = squares();
    std::vector<int> right = old;
    for (std::size_t i = 1; i + 1 < old.size(); ++i) right[i] = old[i - 1] + 3 * old[i + 1];
    for (const std::uint64_t seed : kThreeSeeds) {
        for (const char* sham : {"", "by index", "zero memory; zero shared; rewind"})
            EXPECT_NE(run_in_place("smooth", seed, sham).findings, "") << sham;
        const WhatIfAnswer before = run_in_place("smooth", seed, "in place");
        EXPECT_EQ(before.findings, "");
        EXPECT_EQ(before.values, right);
    }
}

TEST(WhatIfInPlace, AtomicsAndLaterLaunchesSeeWhatIsThere) {
    WhatIf gpu(3, "in place");
    const DevicePtr data = gpu.array(squares(), "data");
    for (int launch = 0; launch < 2; ++launch)
        EXPECT_EQ(findings(gpu.run("twice", {.grid = {8, 1, 1}, .block = {64, 1, 1}}, data, kSquares)), "");
    // old + 1, and then the old value, twice over
    EXPECT_EQ(gpu.values<int>(data, kSquares)[3], 2 * (2 * 9 + 1) + 1);
}

TEST(WhatIfInPlace, UndefinedValuesStayUndefined) {
    for (const char* rules : {"", "in place"}) {
        WhatIf gpu(0, rules);
        const DevicePtr data = gpu.fresh<int>(kSquares, "data");
        gpu.run("increase", {.grid = {1, 1, 1}, .block = {32, 1, 1}}, data, kSquares);
        EXPECT_TRUE(gpu.memory.take_undefined(data, kSquares * 4)) << rules;
    }
}

}  // namespace
}  // namespace vgpu
