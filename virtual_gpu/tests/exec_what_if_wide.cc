// What-if rules `wide` and `watch overflow`: 32-bit arithmetic on its way to an address or a bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "what_if_harness.h"

namespace vgpu {
namespace {

struct WideOutcome {
    std::vector<int> values;
    std::string findings, overflows;
    int overflow_line = 0;
    Status status{};
};

WideOutcome wide_outcome(Gpu& gpu, const LaunchResult& r, DevicePtr out) {
    WideOutcome o{gpu.values<int>(out, 32), findings(r), "", 0, r.status};
    for (const Finding& f : r.findings)
        if (f.kind == Kind::overflow) {
            EXPECT_TRUE(f.is_note);
            o.overflows += f.what + "\n";
            o.overflow_line = f.place.line;
        }
    return o;
}

WideOutcome run_wide(const std::string& kernel, std::uint64_t seed, const std::string& rules) {
    WhatIf gpu(seed, rules);
    std::vector<int> values(128);
    std::iota(values.begin(), values.end(), 0);
    const DevicePtr in = gpu.array(values, "in"), out = gpu.array(std::vector<int>(32), "out");
    const LaunchResult r = kernel == "parts"   ? gpu.run(kernel, {}, in, out, 320000000)
                           : kernel == "bound" ? gpu.run(kernel, {.block = {64, 1, 1}}, out, 1 << 27, 1 << 30)
                           : kernel == "pairs" ? gpu.run(kernel, {.block = {64, 1, 1}}, out, 0u)
                                               : gpu.run(kernel, {}, in, out, 2000000000, 2000000020);
    return wide_outcome(gpu, r, out);
}

struct Narrow {
    const char* kernel;
    std::function<int(int)> right;
    const char *mark, *what;
};

class WhatIfWide : public testing::TestWithParam<Narrow> {};
TEST_P(WhatIfWide, IsRightInTime) {
    const auto& [kernel, right, mark, what] = GetParam();
    std::vector<int> expected;
    for (int t = 0; t < 32; ++t) expected.push_back(right(t));
    for (const std::uint64_t seed : kThreeSeeds) {
        for (const char* sham : {"", "by index", "zero memory"}) {
            const WideOutcome wrong = run_wide(kernel, seed, sham);
            EXPECT_TRUE(wrong.values != expected || !wrong.findings.empty()) << sham;
            EXPECT_EQ(wrong.overflows, "");
        }
        const WideOutcome wide = run_wide(kernel, seed, "wide");
        EXPECT_EQ(wide.values, expected);
        EXPECT_EQ(wide.findings, "");
        EXPECT_EQ(wide.status, Status::ok);
        const WideOutcome watched = run_wide(kernel, seed, "watch overflow");
        EXPECT_TRUE(watched.values != expected || !watched.findings.empty()) << "it only watches";
        EXPECT_EQ(watched.overflow_line, line_of("what_if", mark));
        EXPECT_EQ(std::ranges::count(watched.overflows, '\n'), 1) << watched.overflows;
        EXPECT_NE(watched.overflows.find(what), std::string::npos) << watched.overflows;
    }
}
INSTANTIATE_TEST_SUITE_P(
    Kernels, WhatIfWide,
    testing::Values(Narrow{"parts", [](int t) { return t; }, "parts_product",
                           "is 2,240,000,000, more than an int holds"},
                    Narrow{"bound", [](int t) { return t < 8; }, "bound_product", "more than an int holds"},
                    Narrow{"middle", [](int t) { return t + 10; }, "middle_sum", "is 4,000,000,020, more than an int"},
                    Narrow{"pairs", [](int) { return 0; }, "pairs_bound", "is -1, less than an unsigned int holds"}),
    [](const auto& info) { return std::string(info.param.kernel); });

TEST(WhatIfWideOf, RightArithmeticChangesNothing) {
    std::vector<int> values(200), results[2];
    std::iota(values.begin(), values.end(), 0);
    for (const bool is_wide : {false, true}) {
        WhatIf gpu(3, is_wide ? "wide; watch overflow" : "");
        const DevicePtr in = gpu.array(values, "in"), out = gpu.array(std::vector<int>(256), "out");
        const Shape shape{.grid = {2, 1, 1}, .block = {128, 1, 1}};
        const LaunchResult r = gpu.run("right_arithmetic", shape, in, out, 200);
        EXPECT_EQ(findings(r), "");
        for (const Finding& f : r.findings) ADD_FAILURE() << f.what;
        results[is_wide] = gpu.values<int>(out, 256);
    }
    EXPECT_EQ(results[0], results[1]);
}

TEST(WhatIfWideOf, UndefinedBoundsAreStillFound) {
    for (const char* rules : {"", "wide"}) {
        Gpu gpu(0);
        std::string why;
        ASSERT_TRUE(what_if::parse(rules, gpu.options.what_if, why));
        gpu.executor.configure(gpu.options);
        gpu.load("undefined_threads");
        const DevicePtr in = gpu.array(std::vector<int>(64)), out = gpu.array(std::vector<int>(64));
        EXPECT_NE(find(gpu.run("one_path_bad", {}, in, out, 32), Kind::uninitialized), nullptr) << rules;
    }
}

// Kernels of other tests, whose numbers are small.
TEST(WhatIfWideOf, RightKernelsChangesNothing) {
    for (const char* kernel : {"right_lock", "right_last_block", "right_same_value", "right_tree_in_the_block",
                               "right_exchange_in_the_warp", "right_neighbouring_bytes", "right_chain_of_words"}) {
        std::vector<int> results[2];
        for (const bool is_wide : {false, true}) {
            Gpu gpu(2);
            std::string why;
            ASSERT_TRUE(what_if::parse(is_wide ? "wide; watch overflow" : "", gpu.options.what_if, why));
            gpu.executor.configure(gpu.options);
            gpu.load("races");
            const DevicePtr data = gpu.array(std::vector<int>(1024)), flags = gpu.array(std::vector<int>(8)),
                            out = gpu.array(std::vector<int>(1024));
            const LaunchResult r = gpu.run(kernel, {.grid = {8, 1, 1}, .block = {64, 1, 1}}, data, flags, out);
            EXPECT_EQ(r.status, Status::ok) << r.message;
            EXPECT_EQ(findings(r), "") << kernel;
            for (const Finding& f : r.findings) EXPECT_NE(f.kind, Kind::overflow) << f.what;
            results[is_wide] = gpu.values<int>(out, 1024);
        }
        EXPECT_EQ(results[0], results[1]) << kernel;
    }
}

}  // namespace
}  // namespace vgpu
