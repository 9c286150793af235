// Profiles, occupancy, the model of a kernel's time, and the modelled clock.
#include <gtest/gtest.h>

#include "virtual_gpu/ptx/linker.h"
#include "virtual_gpu/session/clock.h"
#include "virtual_gpu/timing/least_time.h"
#include "virtual_gpu/timing/model.h"
#include "virtual_gpu/timing/registers.h"
#include "virtual_gpu/timing/timeline.h"

namespace vgpu {
namespace {

DeviceProperties profile(const char* name) {
    DeviceProperties out;
    std::string why;
    EXPECT_TRUE(find_profile(name, out, why)) << why;
    return out;
}

TEST(Profile, EmbeddedOnesAreThere) {
    EXPECT_EQ(profile_names(), (std::vector<std::string>{"h200", "t4", "teaching"}));
    EXPECT_EQ(profile("teaching").sms, 8);
    EXPECT_EQ(profile("h200").sms, 132);
    EXPECT_DOUBLE_EQ(profile("h200").clock_hz, 1.98e9);
}

TEST(Profile, MistakesAreNamed) {
    DeviceProperties out;
    std::string why;
    EXPECT_FALSE(parse_profile("[limits]\nsmz = 3\n", out, why));
    EXPECT_EQ(why, "line 2 of the profile: no such key: limits.smz");
    EXPECT_FALSE(parse_profile("[limits]\nsms = \"3\"\n", out, why));
    EXPECT_FALSE(find_profile("nowhere.toml", out, why));
    EXPECT_TRUE(parse_profile("name = \"a # b\"  # c\n[limits]\nsms = 1_0\n", out, why)) << why;
    EXPECT_EQ(out.name, "a # b");
    EXPECT_EQ(out.sms, 10);
}

TEST(Occupancy, EachLimit) {
    const DeviceProperties p = profile("teaching");  // 1024 threads, 16 blocks, 65536 registers, 64 KiB an SM
    EXPECT_EQ(blocks_per_sm(p, {256, 0, 0}), 4);
    EXPECT_EQ(blocks_per_sm(p, {32, 0, 0}), 16);
    EXPECT_EQ(blocks_per_sm(p, {256, 128, 0}), 2);
    EXPECT_EQ(blocks_per_sm(p, {64, 0, 20000}), 3);
    EXPECT_EQ(blocks_per_sm(p, {1025, 0, 0}), 0);
    EXPECT_EQ(blocks_per_sm(p, {33, 0, 0}), 16);
}

TEST(Registers, WhatIsAliveAtOnce) {
    // Twenty loads that are all needed at the end, and a loop that keeps one more.
    std::string body =
        ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %r<100>;\n.reg .b64 %rd<3>;\n.reg .pred %p<2>;\nld.param.u64 %rd1, [p];\n";
    for (int i = 1; i <= 20; ++i) {
        body += "ld.global.u32 %r" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
    }
    body += "mov.u32 %r50, 0;\n$L:\nadd.s32 %r50, %r50, 1;\nsetp.lt.s32 %p1, %r50, 9;\n@%p1 bra $L;\n";
    for (int i = 1; i <= 20; ++i) {
        body += "add.s32 %r50, %r50, %r" + std::to_string(i) + ";\n";
    }
    body += "st.global.u32 [%rd1], %r50;\nret;\n}\n";
    ptx::Program program;
    ptx::ParseError error;
    ASSERT_TRUE(ptx::load({&body, 1}, program, error)) << error.message;
    const int registers = estimate_registers(program, "k");
    EXPECT_GE(registers, 23);  // 20 values, the counter, the address
    EXPECT_LE(registers, 30);
}

// A kernel that streams `bytes` in and out of memory: a block has 8 warps, each with one load and one store.
LaunchResult streaming(std::size_t bytes) {
    LaunchResult r;
    const std::size_t blocks = bytes / 1024;
    r.blocks.assign(blocks, {});
    for (BlockCost& block : r.blocks) {
        block.blocks = 1;
        block.instructions = 8 * 16;
        block.cycles = 700;
        block.global_sectors = 8 * 8;
        block.global_requests = 16;
    }
    r.load_sectors = r.first_load_sectors = r.store_sectors = bytes / 32;
    r.unique_sectors = r.new_sectors = 2 * bytes / 32;
    return r;
}

TEST(Model, CopyOnH200IsLimitedByDram) {
    const DeviceProperties p = profile("h200");
    const ModelledTime time = model(p, {256, 16, 0}, streaming(std::size_t{1} << 30));
    EXPECT_EQ(time.limited_by, "dram");
    EXPECT_NEAR(time.seconds, 0.5e-3, 0.1e-3);  // measured: 0.507 ms
}

TEST(Model, WhatL2HasIsNotReadAgainAndWhatItLosesIsWrittenBack) {
    const DeviceProperties p = profile("h200");
    LaunchResult r = streaming(std::size_t{1} << 24);
    const auto dram = [&] { return model(p, {256, 16, 0}, r).terms.at(0).seconds * p.dram_bandwidth; };
    EXPECT_NEAR(dram(), 2 * 0x1p24, 1);  // half of what has to go was stored by the kernel itself
    r.old_victims = r.new_sectors;
    EXPECT_NEAR(dram(), 3 * 0x1p24, 1);
    r.new_sectors = r.first_load_sectors = r.old_victims = 0;
    EXPECT_NEAR(dram(), 0, 1);
}

TEST(Model, AtomicsOnOneAddress) {
    LaunchResult r = streaming(1 << 20);
    const DeviceProperties p = profile("teaching");
    const double without = model(p, {256, 16, 0}, r).seconds;
    r.most_atomics_on_one_line = 1 << 18;
    const ModelledTime time = model(p, {256, 16, 0}, r);
    EXPECT_EQ(time.limited_by, "atomics");
    EXPECT_GT(time.seconds, 5 * without);
}

TEST(Model, FewBlocksAreLimitedByLatency) {
    LaunchResult r;
    r.blocks.assign(1, {});
    r.blocks[0].instructions = 1000;
    r.blocks[0].cycles = 1'000'000;
    EXPECT_EQ(model(profile("teaching"), {256, 16, 0}, r).limited_by, "latency");
}

Demand of(Part part, double seconds) {
    Demand work;
    work[part] = seconds;
    return work;
}

// Grids of 100 s that need a tenth of the device; launches by kernels take 5 s, one a second; 2 s between grids of a
// stream.
struct Grids : testing::Test {
    DeviceProperties device;
    Timeline timeline{device};
    Grids() {
        device.device_launch = 5;
        device.device_launch_each = 1;
        device.launch_busy = 2;
        add(0, -1);
    }
    void add(int number, int parent, const std::vector<int>& after = {}, bool is_tail = false, double share = 0.1) {
        timeline.add({number, parent, is_tail, after, 10, 100, of(Part::slots, 100 * share)});
    }
};

TEST_F(Grids, OneAlone) { EXPECT_DOUBLE_EQ(timeline.end(), 100); }

TEST_F(Grids, StreamsRunSideBySide) {
    add(1, 0);
    EXPECT_DOUBLE_EQ(timeline.end(), 10 + 1 + 5 + 100);
    add(2, 0);
    EXPECT_DOUBLE_EQ(timeline.end(), 10 + 2 + 5 + 100);
}

TEST_F(Grids, OneStreamIsOneAfterTheOther) {
    add(1, 0);
    add(2, 0, {1});
    EXPECT_DOUBLE_EQ(timeline.end(), 10 + 1 + 5 + 100 + 2 + 100);
}

TEST_F(Grids, WhatIsBehindWaitsForTheChildren) {
    add(1, 0);
    add(2, 0, {1});
    add(3, 1);  // starts at 16 + 16
    EXPECT_DOUBLE_EQ(timeline.end(), 132 + 2 + 100);
}

TEST_F(Grids, TailLaunchesComeLastAndInOrder) {
    add(1, 0, {}, true);
    add(2, 0);
    add(3, 0, {}, true);
    EXPECT_DOUBLE_EQ(timeline.end(), 116 + 2 + 100 + 2 + 100);
}

TEST_F(Grids, AllOfThemAreTheLaunchsWork) {
    add(1, 0, {}, false, 1);
    add(2, 1, {}, false, 0.5);
    EXPECT_DOUBLE_EQ(timeline.work()[Part::slots], 10 + 100 + 50);
}

TEST_F(Grids, TheDeviceIsSharedOut) {
    for (int n = 1; n <= 3; ++n) add(n, 0, {}, false, 1);
    EXPECT_NEAR(timeline.end(), 16 + 3 * 100, 10);
}

TEST(Clock, StreamsOverlapAsFarAsTheDeviceIsFree) {
    Clock clock;
    StreamClock a, b;
    EXPECT_DOUBLE_EQ(clock.run(a, 1, of(Part::slots, 0.25), 0, 0), 1);
    EXPECT_DOUBLE_EQ(clock.run(b, 1, of(Part::slots, 0.25), 0, 0), 1);  // both fit
    Clock full;
    StreamClock c, d;
    EXPECT_DOUBLE_EQ(full.run(c, 1, of(Part::slots, 1), 0, 0), 1);
    EXPECT_DOUBLE_EQ(full.run(d, 1, of(Part::slots, 1), 0, 0), 2);  // one after the other
}

// Eight streams, each with an operation of a second that keeps this part busy for half of it: four seconds of work.
double eight_streams(Part part) {
    Clock clock;
    std::vector<StreamClock> streams(8);
    for (StreamClock& stream : streams) clock.run(stream, 1, of(part, 0.5), 0, 0);
    return clock.all_ready();
}

TEST(Clock, StreamsShareEachPartOfTheDevice) {
    for (std::size_t n = 0; n < kWorkParts; ++n)
        EXPECT_DOUBLE_EQ(eight_streams(static_cast<Part>(n)), 4) << name_of(static_cast<Part>(n));
}

TEST(Clock, OperationsOfDifferentPartsDoNotDelayEachOther) {
    Clock clock;
    StreamClock a, b, c;
    EXPECT_DOUBLE_EQ(clock.run(a, 1, of(Part::dram, 1), 0, 0), 1);
    EXPECT_DOUBLE_EQ(clock.run(b, 1, of(Part::issue, 1), 0, 0), 1);
    EXPECT_DOUBLE_EQ(clock.run(c, 1, of(Part::to_host, 1), 0, 0), 1);
}

TEST(Clock, TheOrderOfCallsIsNotTheOrderOfWork) {
    Clock clock;
    StreamClock late{10, false, true}, early;
    EXPECT_DOUBLE_EQ(clock.run(late, 1, of(Part::dram, 1), 0, 0), 11);
    EXPECT_DOUBLE_EQ(clock.run(early, 4, of(Part::dram, 4), 0, 0), 4);  // before the other has begun
    StreamClock next{3, false, true};
    EXPECT_DOUBLE_EQ(clock.run(next, 8, of(Part::dram, 8), 0, 0), 13);  // 4 to 10, and 11 to 13
}

TEST(Usage, NoPartIsUsedTwiceAtOneTime) {
    Usage usage;
    double last = 0, sum = 0;
    for (int n = 0; n < 500; ++n) {  // in no order
        const double start = n * 7919 % 101, amount = 0.25 + n % 5;
        sum += amount;
        last = std::max(last, usage.take(start, of(Part::l2, amount)));
    }
    EXPECT_GE(last, sum);
    EXPECT_LT(last, sum + 101);
}

TEST(LeastTime, IsThatOfTheBusiestPart) {
    const DeviceProperties p = profile("teaching");
    LeastWork work;
    EXPECT_EQ(work.time(p, 0).seconds, 0);
    EXPECT_EQ(work.time(p, 0).by, "");
    const LeastTime dram = work.time(p, 1 << 20);
    EXPECT_EQ(dram.by, "dram");
    EXPECT_DOUBLE_EQ(dram.seconds, 0x1p25 / p.dram_bandwidth);
    work.add(of(Part::dram, 1));  // by the model of a kernel's time: no bound
    work.add(of(Part::slots, 1));
    EXPECT_DOUBLE_EQ(work.time(p, 1 << 20).seconds, dram.seconds);
    for (int n = 0; n < 10; ++n) work.add(of(Part::shared, dram.seconds));
    EXPECT_EQ(work.time(p, 1 << 20).by, "shared");
    EXPECT_DOUBLE_EQ(work.time(p, 1 << 20).seconds, 10 * dram.seconds);
    for (int n = 0; n < 10; ++n) work.add_atomics({{7, 1 << 24}, {8, 1}});  // on one line, from ten kernels
    EXPECT_EQ(work.time(p, 1 << 20).by, "atomics");
    EXPECT_DOUBLE_EQ(work.time(p, 1 << 20).seconds, 10 * 0x1p24 / (p.atomic_per_cycle * p.clock_hz));
}

TEST(Model, AKernelNeedsNoPartForLongerThanItRuns) {
    for (const char* name : {"teaching", "h200", "t4"}) {
        const ModelledTime time = model(profile(name), {256, 16, 0}, streaming(std::size_t{1} << 22));
        for (const double part : time.work.seconds) EXPECT_LE(part, time.seconds);
        EXPECT_GT(time.work[Part::dram], 0);
        EXPECT_GT(time.work[Part::issue], 0);
    }
}

TEST(Model, AtomicsMoveTheirBytes) {
    LaunchResult r = streaming(1 << 24);
    const DeviceProperties p = profile("teaching");
    const double stored = model(p, {256, 16, 0}, r).work[Part::dram];
    std::swap(r.store_sectors, r.atomic_sectors);
    EXPECT_GE(model(p, {256, 16, 0}, r).work[Part::dram], stored);
    EXPECT_GT(model(p, {256, 16, 0}, r).work[Part::l2], 0.99 * 0x1p25 / p.l2_bandwidth);
}

TEST(Model, LocalMemoryThatL2CannotHoldMovesItsBytes) {
    LaunchResult r = streaming(1 << 16);
    const DeviceProperties p = profile("teaching");
    const double before = model(p, {256, 16, 0}, r).work[Part::dram];
    r.local_misses = 1 << 20;
    r.local_bytes = 64;
    EXPECT_DOUBLE_EQ(model(p, {256, 16, 0}, r).work[Part::dram], before);  // 64 blocks of 256 threads: L2 holds it
    r.local_bytes = 4096;
    EXPECT_GT(model(p, {256, 16, 0}, r).work[Part::dram], before + 0.2 * 0x1p25 / p.dram_bandwidth);
}

TEST(Clock, DefaultStreamJoins) {
    Clock clock;
    StreamClock legacy{0, true, true}, a, free{0, false, false};
    clock.run(a, 1, {}, 0, 0);
    EXPECT_DOUBLE_EQ(clock.run(legacy, 1, {}, 0, 0), 2);
    EXPECT_DOUBLE_EQ(clock.run(a, 1, {}, 0, 0), 3);
    EXPECT_DOUBLE_EQ(clock.run(free, 1, {}, 0, 0), 1);
    EXPECT_DOUBLE_EQ(clock.ready(legacy), 3);
    EXPECT_DOUBLE_EQ(clock.all_ready(), 3);
}

}  // namespace
}  // namespace vgpu
