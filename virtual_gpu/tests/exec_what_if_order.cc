// What-if rule `order`: accesses at one place before those at another, in every round of a loop.
#include <gtest/gtest.h>

#include <numeric>

#include "what_if_harness.h"

namespace vgpu {
namespace {

constexpr int kOrderThreads = 128;

std::string order(const std::string& first, const std::string& second) { return "order " + first + " " + second; }

struct Unordered {
    const char* kernel;
    std::string rule;
    std::vector<std::string> shams;
};

class WhatIfOrder : public testing::TestWithParam<Unordered> {
  protected:
    static WhatIfAnswer run(std::uint64_t seed, const std::string& rules) {
        const std::string kernel = GetParam().kernel;
        WhatIf gpu(seed, rules);
        std::vector<int> values(1000);
        std::iota(values.begin(), values.end(), 1);
        const DevicePtr in = gpu.array(values, "in"), out = gpu.array(std::vector<int>(kOrderThreads), "out");
        const Shape shape{.block = {kOrderThreads, 1, 1}};
        const LaunchResult r = kernel == "tiles"    ? gpu.run(kernel, shape, in, out, 1000)
                               : kernel == "rounds" ? gpu.run(kernel, shape, out)
                                                    : gpu.run(kernel, shape, in, out);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        return {gpu.values<int>(out, kOrderThreads), findings(r)};
    }
    static std::vector<int> right() {
        const std::string kernel = GetParam().kernel;
        std::vector<int> out(kOrderThreads), old(kOrderThreads);
        std::iota(old.begin(), old.end(), 0);
        for (int t = 0; t < kOrderThreads; ++t) {
            int& at = out[static_cast<std::size_t>(t)];
            if (kernel == "scan_in_place") at = (t + 1) * (t + 2) / 2;
            if (kernel == "reversed") at = kOrderThreads - t;
            if (kernel == "reversed_in_global") at = 2 * (kOrderThreads - 1 - t);
            if (kernel == "tree") at = t == 0 ? kOrderThreads * (kOrderThreads + 1) / 2 : 0;
            const int last = 4 * (kOrderThreads - t);
            if (kernel == "behind_a_loop") at = 4 * last - 6;
            for (int n = 0; kernel == "tiles" && n < 1000; ++n)
                if ((n - t) % 32 == 0) at += n + 1;
        }
        for (int round = 0; kernel == "rounds" && round < 12; ++round, old = out)
            for (std::size_t t = 0; t < kOrderThreads; ++t)
                out[t] = static_cast<int>(t) % 4 != round % 4 ? old[(t + 1) % kOrderThreads] + 1 : old[t];
        return out;
    }
};

TEST_P(WhatIfOrder, RepairsAndShamsDoNot) {
    for (const std::uint64_t seed : kThreeSeeds) {
        EXPECT_NE(run(seed, "").findings, "") << seed;
        for (const std::string& sham : GetParam().shams)
            EXPECT_NE(run(seed, sham).findings, "") << seed << ": " << sham;
        const WhatIfAnswer ordered = run(seed, GetParam().rule);
        EXPECT_EQ(ordered.findings, "") << seed;
        EXPECT_EQ(ordered.values, right()) << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, WhatIfOrder,
    testing::Values(Unordered{"scan_in_place",
                              order(place("scan_round", ":read"), place("scan_round", ":write")),
                              {order(place("scan_fill"), place("scan_out")),
                               order(place("scan_fill"), place("scan_round", ":read")), "zero shared"}},
                    Unordered{"reversed",
                              order(place("reversed_put"), place("reversed_take")),
                              {order(place("global_put"), place("global_take")),
                               order(place("reversed_take"), place("reversed_put"))}},
                    Unordered{"reversed_in_global",
                              order(place("global_put"), place("global_take")),
                              {order(place("reversed_put"), place("reversed_take")),
                               order(place("global_take"), place("global_put"))}},
                    Unordered{"tiles",
                              order(place("tiles_use"), place("tiles_fill", ":write")),
                              {order(place("tiles_fill", ":write"), place("tiles_use"))}},
                    Unordered{"behind_a_loop",
                              order(place("loop_fill", ":write"), place("loop_use")),
                              {order(place("loop_use"), place("loop_fill", ":write"))}},
                    Unordered{"tree",
                              order(place("tree", ":write"), place("tree", ":read")),
                              {order(place("tree", ":read"), place("tree", ":write"))}},
                    Unordered{"rounds",
                              order(place("rounds_read"), place("rounds_write")),
                              {order(place("scan_round", ":read"), place("scan_round", ":write"))}}),
    [](const auto& info) { return std::string(info.param.kernel); });

TEST(WhatIfOrderThat, CannotBeEndsTheLaunch) {
    for (const std::uint64_t seed : kThreeSeeds)
        for (const bool is_ordered : {false, true}) {
            WhatIf gpu(seed);
            gpu.options.max_stall_steps = 1 << 14;
            gpu.use(is_ordered ? order(place("flag_after"), place("flag_set")) : "");
            const DevicePtr flag = gpu.array(std::vector<int>(1)), out = gpu.fresh<int>(32);
            const LaunchResult r = gpu.run("waits_for_flag", {.block = {64, 1, 1}}, flag, out);
            EXPECT_EQ(r.status, is_ordered ? Status::launch_failure : Status::ok) << r.message;
        }
}

// The rules of one call are not those of the next.
TEST(WhatIfOrderThat, HasEndedIsForgotten) {
    WhatIf gpu(3, order(place("reversed_put"), place("reversed_take")));
    const DevicePtr in = gpu.array(std::vector<int>(kOrderThreads)), out = gpu.fresh<int>(kOrderThreads);
    const Shape shape{.block = {kOrderThreads, 1, 1}};
    EXPECT_EQ(findings(gpu.run("reversed", shape, in, out)), "");
    gpu.use("");
    EXPECT_NE(findings(gpu.run("reversed", shape, in, out)), "");
    gpu.use(order(place("reversed_put"), place("reversed_take")));
    EXPECT_EQ(findings(gpu.run("reversed", shape, in, out)), "");
}

}  // namespace
}  // namespace vgpu
