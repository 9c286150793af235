// Which blocks run side by side and in which order they start, and what is said of kernels that wait for other blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "exec_harness.h"
#include "virtual_gpu/exec/launch/schedule.h"

namespace vgpu {
namespace {

std::vector<std::uint64_t> starts(std::uint64_t seed, std::uint64_t blocks) {
    Random random{seed};
    StartOrder order(blocks, schedule_of(seed, random), random);
    std::vector<std::uint64_t> all;
    while (!order.is_over()) all.push_back(order.next());
    return all;
}

TEST(Schedules, StartBlocksInAscendingOrderInAllKindsButOne) {
    std::vector<std::uint64_t> ascending(100);
    std::iota(ascending.begin(), ascending.end(), 0);
    for (std::uint64_t seed = 0; seed < 64; ++seed) {
        const std::vector<std::uint64_t> all = starts(seed, 100);
        EXPECT_EQ(all == ascending, seed % kScheduleKinds != kAnyOrder) << "seed " << seed;
        EXPECT_EQ(std::set(all.begin(), all.end()).size(), 100u) << "seed " << seed;
    }
}

TEST(Schedules, HaveFewAndManyResidentBlocks) {
    std::set<std::uint64_t> resident;
    std::set<bool> newest_first;
    for (std::uint64_t seed = 1; seed < 64; ++seed) {
        Random random{seed};
        const Schedule schedule = schedule_of(seed, random);
        resident.insert(schedule.resident);
        newest_first.insert(schedule.newest_first);
        EXPECT_GE(schedule.quantum, 1);
    }
    EXPECT_EQ(resident, (std::set<std::uint64_t>{1, 2, 4, 8, 16, 64, 512}));
    EXPECT_EQ(newest_first.size(), 2u);
}

TEST(Schedules, TheRestOfAnOrderCanBeSorted) {
    for (const std::uint64_t seed : {5, 13, 21, 29, 37}) {
        Random random{seed};
        StartOrder order(50, schedule_of(seed, random), random);
        std::vector<std::uint64_t> all;
        for (int n = 0; n < 10; ++n) all.push_back(order.next());
        order.sort();
        while (!order.is_over()) all.push_back(order.next());
        EXPECT_TRUE(std::is_sorted(all.begin() + 10, all.end())) << "seed " << seed;
        EXPECT_EQ(std::set(all.begin(), all.end()).size(), 50u) << "seed " << seed;
    }
}

// The options of a test in which blocks wait forever.
void expect_stalls_soon(Gpu& gpu) {
    gpu.load("sync");
    gpu.options.max_stall_steps = 1 << 16;
    gpu.executor.configure(gpu.options);
}

TEST(Schedules, ManyBlocksCanMeet) {
    const auto run = [](std::uint64_t seed) {
        Gpu gpu(seed);
        expect_stalls_soon(gpu);
        const DevicePtr arrived = gpu.array(std::vector<int>{0});
        return gpu.run("meet", {.grid = {600, 1, 1}}, arrived, 300);
    };
    const LaunchResult many = run(kManyResident);
    EXPECT_EQ(many.status, Status::ok) << many.message;
    EXPECT_EQ(findings(many), "");
    const LaunchResult few = run(4);
    EXPECT_EQ(few.status, Status::launch_failure);
    ASSERT_EQ(few.findings.size(), 1u);
    EXPECT_EQ(few.findings[0].kind, Kind::deadlock);
    EXPECT_NE(few.message.find("; 584 blocks had not started (16..599), as this schedule has only 16 blocks at once"),
              std::string::npos)
        << few.message;
}

TEST(Schedules, HoldBackABlockThatHasStarted) {
    constexpr unsigned kBlocks = 40;
    int late = 0;
    for (std::uint64_t seed = kManyResident; seed < 16 * kScheduleKinds; seed += kScheduleKinds) {
        Gpu gpu(seed);
        gpu.load("sync");
        const DevicePtr ticket = gpu.array(std::vector<int>{0}), flags = gpu.array(std::vector<int>(kBlocks)),
                        found = gpu.array(std::vector<int>(kBlocks, 1));
        const LaunchResult r =
            gpu.run("take_tickets", {.grid = {kBlocks, 1, 1}, .block = {64, 1, 1}}, ticket, flags, found);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        const std::vector<int> all = gpu.values<int>(found, kBlocks);
        late += static_cast<int>(std::ranges::count(all, 0));
    }
    EXPECT_GE(late, 8);
}

// A barrier of the whole grid, written by hand, in an ordinary launch.
TEST(Schedules, BlocksOfAGridThatFitsMayWaitForEachOther) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Gpu gpu(seed);
        expect_stalls_soon(gpu);
        for (const char* again : {"", "again"}) {
            SCOPED_TRACE(again);
            const DevicePtr arrived = gpu.array(std::vector<int>{0});
            const LaunchResult r = gpu.run("meet", {.grid = {100, 1, 1}, .room = 100}, arrived, 100);
            EXPECT_EQ(r.status, Status::ok) << r.message;
            EXPECT_EQ(findings(r), "");
            ASSERT_EQ(r.findings.size(), *again == 0 && seed != 0 && seed % kScheduleKinds != kManyResident ? 1u : 0u);
            if (r.findings.empty()) continue;
            EXPECT_EQ(r.findings[0].kind, Kind::co_residency);
            EXPECT_NE(r.findings[0].help.find("cudaLaunchCooperativeKernel()"), std::string::npos);
        }
        const DevicePtr arrived = gpu.array(std::vector<int>{0});
        const LaunchResult large = gpu.run("meet", {.grid = {1000, 1, 1}, .room = 100}, arrived, 1000);
        EXPECT_EQ(large.status, Status::launch_failure);
        EXPECT_NE(large.message.find(", as the device holds 100 of 1000 blocks at once"), std::string::npos)
            << large.message;
    }
}

TEST(Schedules, TheFirstBlockReliesOnNoOrder) {
    int notes = 0;
    for (std::uint64_t seed = kAnyOrder; seed < 32 * kScheduleKinds; seed += kScheduleKinds) {
        Gpu gpu(seed);
        expect_stalls_soon(gpu);
        const LaunchResult r = gpu.run("meet", {.grid = {2, 1, 1}, .room = 100}, gpu.array(std::vector<int>{0}), 2);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        for (const Finding& f : r.findings) {
            EXPECT_EQ(f.kind, f.block[0] == 0 ? Kind::co_residency : Kind::block_order) << f.what;
            notes += f.block[0] == 0;
        }
    }
    EXPECT_GE(notes, 3);
}

TEST(Schedules, RelyingOnAscendingOrderIsANote) {
    constexpr int kN = 8000, kBlocks = (kN + 127) / 128;
    std::vector<int> in(kN);
    std::iota(in.begin(), in.end(), -17);
    std::vector<int> sums(kN);
    std::partial_sum(in.begin(), in.end(), sums.begin());
    int notes = 0;
    for (std::uint64_t seed = 0; seed < 32; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Gpu gpu(seed);
        expect_stalls_soon(gpu);
        for (int again = 0; again < 2; ++again) {
            const DevicePtr d_in = gpu.array(in), d_out = gpu.fresh<int>(kN),
                            flags = gpu.array(std::vector<int>(kBlocks)), tile_sums = gpu.fresh<int>(kBlocks);
            const LaunchResult r = gpu.run("look_back_by_block", {.grid = {kBlocks, 1, 1}, .block = {128, 1, 1}}, d_in,
                                           d_out, flags, tile_sums, kN);
            EXPECT_EQ(r.status, Status::ok) << r.message;
            EXPECT_EQ(findings(r), "");
            EXPECT_EQ(gpu.values<int>(d_out, kN), sums);
            for (const Finding& f : r.findings) {
                EXPECT_EQ(f.kind, Kind::block_order);
                EXPECT_EQ(seed % kScheduleKinds, kAnyOrder);
                EXPECT_EQ(again, 0) << "the kernel is known by then";
                EXPECT_EQ(f.place.line, line_of("sync", "look_back_by_block"));
                EXPECT_NE(f.what.find("which CUDA does not promise"), std::string::npos) << f.what;
                ++notes;
            }
        }
    }
    EXPECT_GE(notes, 3);  // with luck, all blocks that wait for each other are resident
}

TEST(Schedules, WaitingForTheNextBlockIsADeadlock) {
    int failed = 0;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        Gpu gpu(seed);
        expect_stalls_soon(gpu);
        const LaunchResult r = gpu.run("look_ahead_by_block", {.grid = {100, 1, 1}}, gpu.array(std::vector<int>(100)));
        for (const Finding& f : r.findings) EXPECT_FALSE(f.is_note && r.status != Status::ok) << f.what;
        if (seed % kScheduleKinds == kManyResident || seed % kScheduleKinds == kAnyOrder) continue;
        failed += r.status != Status::ok && findings(r).starts_with("deadlock");
    }
    EXPECT_EQ(failed, 12);
}

}  // namespace
}  // namespace vgpu
