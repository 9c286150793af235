// Races in global memory: each kernel of races.cu in several orders.
#include <gtest/gtest.h>

#include "exec_harness.h"

namespace vgpu {
namespace {

constexpr unsigned kBlocks = 8, kThreads = 64;
LaunchResult run(const std::string& kernel, std::uint64_t seed, unsigned blocks = kBlocks) {
    Gpu gpu(seed);
    gpu.load("races");
    const std::vector<int> zeros(2 * kBlocks * kThreads);
    const DevicePtr data = gpu.array(zeros, "d_data"), flags = gpu.array(std::vector<int>(kBlocks), "d_flags"),
                    out = gpu.array(zeros, "d_out");
    return gpu.run(kernel, {.grid = {blocks, 1, 1}, .block = {kThreads, 1, 1}}, data, flags, out);
}

struct RightRaces : testing::TestWithParam<const char*> {};
TEST_P(RightRaces, AreSilent) {
    for (const std::uint64_t seed : kSeeds) {
        const LaunchResult r = run(GetParam(), seed);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        EXPECT_EQ(findings(r), "") << "seed " << seed;
    }
}
INSTANTIATE_TEST_SUITE_P(Kernels, RightRaces,
                         testing::Values("right_last_block", "right_last_block_all_fence", "right_last_block_acq_rel",
                                         "right_lock", "right_same_value", "right_neighbouring_bytes",
                                         "right_tree_in_the_block", "right_exchange_in_the_warp",
                                         "right_read_only_load"),
                         [](const auto& info) { return std::string(info.param); });

// These wait for blocks with lower numbers, or for all blocks.
struct WaitingRaces : testing::TestWithParam<const char*> {};
TEST_P(WaitingRaces, AreSilent) {
    const bool wait_for_all = std::string(GetParam()) == "right_grid_barrier_by_hand";
    for (const std::uint64_t seed : {0, 1, 2, 3, 4, 6, 7}) {
        if (wait_for_all && (seed == 1 || seed == 2)) continue;  // fewer blocks are resident
        const LaunchResult r = run(GetParam(), seed);
        EXPECT_EQ(r.status, Status::ok) << "seed " << seed << ": " << r.message;
        EXPECT_EQ(findings(r), "") << "seed " << seed;
    }
}
INSTANTIATE_TEST_SUITE_P(Kernels, WaitingRaces,
                         testing::Values("right_chain_of_fences", "right_chain_of_words",
                                         "right_chain_of_release_and_acquire", "right_grid_barrier_by_hand",
                                         "right_write_back"),
                         [](const auto& info) { return std::string(info.param); });

struct RacyKernel {
    const char* kernel;
    bool one_line;     // both accesses are in the line with the kernel's own mark
    bool any_order;    // else only in ascending order: a block waits for the one before it
    const char* help;  // what its help has to name
};
struct WrongRaces : testing::TestWithParam<RacyKernel> {};
TEST_P(WrongRaces, AreFoundInEveryOrder) {
    const std::string kernel = GetParam().kernel;
    const auto mark = [&](const char* end) {
        const int line = line_of("races", GetParam().one_line ? kernel : kernel + end);
        EXPECT_GT(line, 0);
        return line;
    };
    const bool is_plain_flag = kernel == "plain_flag", is_torn = kernel == "torn_word";
    const int first = mark(is_plain_flag ? "_setter" : "_writer"), second = mark("_reader");
    for (const std::uint64_t seed : kSeeds) {
        if (seed % 8 == 5 && !GetParam().any_order) continue;
        const LaunchResult r = run(kernel, seed, is_torn ? 2 : kBlocks);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        int found = 0;
        for (const Finding& f : r.findings) {
            ASSERT_EQ(f.kind, Kind::race) << f.what;
            EXPECT_EQ(f.space, "global");
            if (std::minmax(f.place.line, f.other_place.line) != std::minmax(first, second)) continue;
            ++found;
            EXPECT_TRUE(f.thread != f.other_thread || f.block != f.other_block) << f.what;
            EXPECT_NE(f.help.find(GetParam().help), std::string::npos) << f.help;
            EXPECT_EQ(f.array, is_plain_flag ? "d_flags" : "d_data");
            EXPECT_NE(f.what.find(f.array + " at index " + std::to_string(f.index)), std::string::npos) << f.what;
        }
        EXPECT_EQ(found, 1) << "seed " << seed << ": " << findings(r);
    }
}
INSTANTIATE_TEST_SUITE_P(Kernels, WrongRaces,
                         testing::Values(RacyKernel{"two_writers", true, true, "atomic"},
                                         RacyKernel{"in_place", false, true, "second launch"},
                                         RacyKernel{"write_back", false, false, "order"},
                                         RacyKernel{"plain_histogram", true, true, "atomicAdd"},
                                         RacyKernel{"chain_without_fences", false, false, "__threadfence()"},
                                         RacyKernel{"fence_too_early", false, false, "__threadfence()"},
                                         RacyKernel{"plain_flag", false, true, "plain access"},
                                         RacyKernel{"last_block_without_fence", false, true, "__threadfence()"},
                                         RacyKernel{"last_block_with_fence_of_block", false, true, "__threadfence()"},
                                         RacyKernel{"lock_without_fence", true, true, "__threadfence()"},
                                         RacyKernel{"torn_word", false, true, "size"},
                                         RacyKernel{"missing_barrier", false, true, "__syncthreads()"},
                                         RacyKernel{"missing_warp_sync", false, true, "__syncwarp()"},
                                         RacyKernel{"two_places", false, true, "an index is wrong"},
                                         RacyKernel{"same_store", true, true, "one thread"},
                                         RacyKernel{"read_only_load", false, true, "a plain read"}),
                         [](const auto& info) { return std::string(info.param.kernel); });

TEST(Races, AreNamedInFull) {
    const LaunchResult r = run("in_place", 0);
    ASSERT_FALSE(r.findings.empty());
    const Finding* f = nullptr;
    for (const Finding& one : r.findings)
        if (one.place.line == line_of("races", "in_place_reader")) f = &one;
    ASSERT_NE(f, nullptr) << findings(r);
    EXPECT_EQ(f->what, "thread 0 of block 1 read d_data at index 0 at races.cu:" +
                           std::to_string(line_of("races", "in_place_reader")) +
                           " and thread 0 of block 0 wrote it at races.cu:" +
                           std::to_string(line_of("races", "in_place_writer")) + ": two blocks, nothing orders them");
    EXPECT_EQ(f->access, "read");
    EXPECT_EQ(f->block, (Index3{1, 0, 0}));
    EXPECT_EQ(f->other_block, (Index3{0, 0, 0}));
    EXPECT_EQ(f->access_bytes, 4);
    EXPECT_EQ(f->count, (kBlocks - 1) * kThreads);
}

TEST(Races, AreNotLookedForWithoutChecks) {
    Gpu gpu(0, false);
    gpu.load("races");
    const DevicePtr data = gpu.array(std::vector<int>(64));
    EXPECT_EQ(findings(gpu.run("two_writers", {.grid = {4, 1, 1}}, data, data, data)), "");
}

}  // namespace
}  // namespace vgpu
