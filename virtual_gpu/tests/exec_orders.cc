// Release sequences, bar.arrive, loops of compare-and-swap, cuda::barrier: the pairs of orders.cu in several schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "exec_harness.h"

namespace vgpu {
namespace {

constexpr std::uint64_t kOrders[] = {0, 1, 2, 3, 4, 5, 6, 7, 12, 77};

struct Orders {
    explicit Orders(std::uint64_t seed) : gpu(seed) {
        gpu.load("orders");
        data = gpu.array(std::vector<int>(1024), "d_data");
        out = gpu.array(std::vector<int>(1024), "d_out");
    }
    LaunchResult run(const std::string& kernel, unsigned blocks, unsigned threads) {
        return gpu.run(kernel, {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}}, data, out);
    }
    Gpu gpu;
    DevicePtr data = 0, out = 0;
};

struct RightKernel {
    const char* kernel;
    unsigned blocks, threads;
    bool is_noted = false;  // that its loop of compare-and-swap begins with a plain read
};
struct RightOrders : testing::TestWithParam<RightKernel> {};
TEST_P(RightOrders, AreSilent) {
    bool is_noted = false;
    for (const std::uint64_t seed : kOrders) {
        const LaunchResult r = Orders(seed).run(GetParam().kernel, GetParam().blocks, GetParam().threads);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        EXPECT_EQ(findings(r), "") << "seed " << seed;
        for (const Finding& f : r.findings) {
            EXPECT_EQ(f.kind, Kind::plain_read) << f.what;
            EXPECT_NE(f.what.find("atomicCAS()"), std::string::npos) << f.what;
            is_noted = true;
        }
    }
    EXPECT_EQ(is_noted, GetParam().is_noted);
}
INSTANTIATE_TEST_SUITE_P(
    Kernels, RightOrders,
    testing::Values(RightKernel{"right_all_count", 1, 128}, RightKernel{"right_group_reduce", 2, 256},
                    RightKernel{"right_full_and_empty", 1, 128}, RightKernel{"right_read_of_arrived", 1, 128},
                    RightKernel{"right_cas_loop", 3, 64, true}, RightKernel{"right_cas_loop_in_shared", 1, 64, true},
                    RightKernel{"right_mask_with_lanes_that_left", 1, 32}, RightKernel{"right_bfloat16", 2, 64, true},
                    RightKernel{"right_max_by_cas", 3, 64, true}, RightKernel{"right_flag_in_shared", 1, 64},
                    RightKernel{"right_shared_by_flag", 4, 64}, RightKernel{"right_lock_in_shared", 1, 128},
                    RightKernel{"right_barrier_in_shared", 1, 128}),
    [](const auto& info) { return std::string(info.param.kernel); });

struct WrongKernel {
    const char* kernel;
    unsigned blocks, threads;
    bool one_line = false;
};
struct WrongOrders : testing::TestWithParam<WrongKernel> {};
TEST_P(WrongOrders, AreFoundInEverySchedule) {
    const std::string kernel = GetParam().kernel;
    const int writer = line_of("orders", GetParam().one_line ? kernel : kernel + "_writer"),
              reader = line_of("orders", GetParam().one_line ? kernel : kernel + "_reader");
    ASSERT_GT(writer, 0);
    ASSERT_GT(reader, 0);
    for (const std::uint64_t seed : kOrders) {
        const LaunchResult r = Orders(seed).run(kernel, GetParam().blocks, GetParam().threads);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        EXPECT_TRUE(std::any_of(r.findings.begin(), r.findings.end(),
                                [&](const Finding& f) {
                                    return f.kind == Kind::race && !f.is_note &&
                                           std::minmax(f.place.line, f.other_place.line) == std::minmax(writer, reader);
                                }))
            << "seed " << seed << ": " << findings(r);
    }
}
INSTANTIATE_TEST_SUITE_P(
    Kernels, WrongOrders,
    testing::Values(WrongKernel{"one_does_not_count", 1, 128}, WrongKernel{"full_without_empty", 1, 128},
                    WrongKernel{"read_after_arrival", 1, 128}, WrongKernel{"plain_update", 3, 64, true},
                    WrongKernel{"plain_read_of_a_sum", 3, 32}, WrongKernel{"swap_after_a_store", 2, 32},
                    WrongKernel{"tree_with_a_barrier_too_few", 1, 256}, WrongKernel{"flag_without_fence", 1, 64},
                    WrongKernel{"shared_without_fence", 4, 64}, WrongKernel{"no_lock_in_shared", 1, 128, true},
                    WrongKernel{"arrival_alone", 1, 128}),
    [](const auto& info) { return std::string(info.param.kernel); });

TEST(Orders, ThePlainReadOfALoopIsNamedWithItsLine) {
    Orders orders(0);
    const LaunchResult r = orders.run("right_cas_loop", 3, 64);
    EXPECT_EQ(orders.gpu.values<double>(orders.data, 1)[0], 192);
    ASSERT_EQ(r.findings.size(), 1u);
    const Finding& f = r.findings[0];
    EXPECT_TRUE(f.is_note);
    EXPECT_EQ(f.array, "d_data");
    EXPECT_EQ(f.place.line, line_of("orders", "add_by_cas_read"));
    EXPECT_EQ(f.other_place.line, line_of("orders", "add_by_cas_swap"));
}

TEST(Orders, AMaskMayNameLanesThatHaveLeft) {
    Orders orders(0);
    orders.run("right_mask_with_lanes_that_left", 1, 32);
    const std::vector<int> out = orders.gpu.values<int>(orders.data, 32);
    for (std::size_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 8 ? 82 : t < 16 ? 81 : 0);
    const LaunchResult r = Orders(0).run("mask_without_the_lane", 1, 32);
    ASSERT_EQ(r.findings.size(), 1u);
    EXPECT_EQ(r.findings[0].kind, Kind::invalid_access);
    EXPECT_EQ(r.findings[0].place.line, line_of("orders", "mask_without_the_lane"));
}

TEST(Orders, WaitingAtABarrierObjectLetsOtherWarpsGoOn) {
    for (const std::uint64_t seed : kOrders) {
        Gpu gpu(seed);
        gpu.load("orders");
        std::vector<int> in(8 * 256), sums(8);
        std::iota(in.begin(), in.end(), 0);
        for (std::size_t i = 0; i < in.size(); ++i) sums[i / 256] += in[i];
        const DevicePtr d_in = gpu.array(in), d_out = gpu.fresh<int>(8);
        const LaunchResult r =
            gpu.run("right_tree_of_barriers", {.grid = {8, 1, 1}, .block = {256, 1, 1}}, d_in, d_out);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        EXPECT_EQ(findings(r), "") << "seed " << seed;
        EXPECT_EQ(gpu.values<int>(d_out, 8), sums);
        EXPECT_LT(r.steps, 8u * 8 * 9 * 1000) << "seed " << seed << ": for each block, warp and barrier";
    }
}

}  // namespace
}  // namespace vgpu
