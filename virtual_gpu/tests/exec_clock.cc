// Ways to do work that the modelled time might not see: each was tried by somebody who wanted a faster clock.
#include <gtest/gtest.h>

#include "exec_harness.h"

namespace vgpu {
namespace {

std::string kernel(const std::string& body, const std::string& target = "sm_75", const std::string& before = "") {
    return ".version 9.0\n.target " + target + "\n.address_size 64\n" + before +
           ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n.reg .b32 %r<20>;\n.reg .b64 %rd<40>;\n"
           ".reg .pred %p<4>;\nld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\nmov.u32 %r1, %tid.x;\n" +
           body + "\nret;\n}\n";
}

struct Clocked : testing::Test {
    Gpu gpu{0, false};
    DevicePtr p = gpu.array(std::vector<unsigned>(1 << 16, 0)), q = gpu.array(std::vector<unsigned>(1 << 16, 0));
    LaunchResult run(const std::string& text, const Shape& shape = {}) {
        gpu.load_text(text);
        LaunchResult r = gpu.run("k", shape, p, q);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        return r;
    }
    std::uint64_t cycles(const std::string& text, const Shape& shape = {}) {
        return run(text, shape).blocks.at(0).cycles;
    }
};

TEST_F(Clocked, TheChainOfLatenciesDoesNotTurnOver) {
    gpu.options.latencies.fence = 1 << 30;
    gpu.executor.configure(gpu.options);
    std::string fences;
    for (int n = 0; n < 9; ++n) fences += "membar.gl;\n";
    const std::uint64_t all = cycles(kernel(fences));
    EXPECT_GT(all, std::uint64_t{9} << 30);
    EXPECT_LT(all, (std::uint64_t{9} << 30) + 1000);
    // Another warp that waits at a barrier waits as long, and so does what is loaded behind it.
    EXPECT_GT(cycles(kernel("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra $B;\n" + fences +
                            "$B:\nbar.sync 0;\nld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd2], %r2;\n"),
                     {.block = {64, 1, 1}}),
              std::uint64_t{9} << 30);
}

// A chain of loads: each gives the address of the next.
std::string chase(const std::string& load, int steps = 16) {
    std::string text = "mov.u32 %r2, 0;\n";
    for (int n = 0; n < steps; ++n)
        text += "add.u32 %r2, %r2, " + std::to_string(64 * n) +
                ";\ncvt.u64.u32 %rd3, %r2;\nadd.s64 %rd4, %rd1, %rd3;\n" + load + "\n";
    return text + "st.global.u32 [%rd2], %r2;\n";
}

struct Chains : Clocked {
    std::uint64_t plain() { return cycles(kernel(chase("ld.global.u32 %r2, [%rd4];"))); }
};

TEST_F(Chains, LoadsTakeTheirTime) { EXPECT_GT(plain(), 16u * 600); }

TEST_F(Chains, AtomicsThatReadFromDramTakeItsTime) {
    gpu.memory.l2().set_sectors(1 << 16);
    const std::string text = kernel(chase("atom.global.or.b32 %r2, [%rd4], 0;"));
    const auto from_dram = cycles(text), from_l2 = cycles(text);
    EXPECT_GT(from_dram, from_l2 + 16 * 300);
}

TEST_F(Chains, RegistersBeyondSixteenBitsAreWaitedFor) {
    // 40,000 registers of 128 bytes lie before the one that the chain goes through.
    const std::string many = ".reg .b32 %big<40000>;\n";
    const auto far = cycles(kernel(many + chase("ld.global.u32 %big39999, [%rd4];\nmov.u32 %r2, %big39999;")));
    EXPECT_GT(far, 16u * 600);
}

TEST_F(Chains, CopiesIntoSharedMemoryAreWaitedFor) {
    const std::string shared = ".shared .align 16 .b8 s[64];\n";
    const auto copied = cycles(kernel(shared + "mov.u32 %r3, s;\n" +
                                          chase("cp.async.ca.shared.global [%r3], [%rd4], 4;\ncp.async.wait_all;\n"
                                                "ld.shared.u32 %r2, [%r3];"),
                                      "sm_80"));
    EXPECT_GT(copied, 16u * 600);
    const auto in_groups =
        cycles(kernel(shared + "mov.u32 %r3, s;\n" +
                          chase("cp.async.ca.shared.global [%r3], [%rd4+32768], 4;\ncp.async.commit_group;\n"
                                "cp.async.wait_group 0;\nld.shared.u32 %r2, [%r3];"),
                      "sm_80"));
    EXPECT_GT(in_groups, 16u * 600);
    // Those that nobody waits for yet are under way at the same time.
    const auto behind =
        cycles(kernel(shared + "mov.u32 %r3, s;\n" +
                          chase("cp.async.ca.shared.global [%r3], [%rd4+65536], 4;\ncp.async.commit_group;\n"
                                "cp.async.wait_group 4;") +
                          "cp.async.wait_group 0;\n",
                      "sm_80"));
    EXPECT_LT(behind, in_groups / 3);
}

TEST_F(Chains, BulkCopiesAreWaitedFor) {
    const std::string shared = ".shared .align 16 .b8 s[64];\n.shared .align 8 .b8 bar[8];\n";
    std::string text = shared + "mov.u32 %r3, s;\nmov.u32 %r4, bar;\nmbarrier.init.shared.b64 [%r4], 1;\n";
    text += chase(
        "mbarrier.arrive.expect_tx.shared.b64 %rd9, [%r4], 16;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd4], 16, [%r4];\n"
        "mbarrier.test_wait.shared.b64 %p1, [%r4], %rd9;\nld.shared.u32 %r2, [%r3];");
    EXPECT_GT(cycles(kernel(text, "sm_90"), {.block = {1, 1, 1}}), 16u * 600);
}

TEST_F(Chains, ConstantMemoryIsReadOnceFromDram) {
    const std::string constants = ".const .align 4 .b8 c[4096];\n";
    std::string text = "mov.u64 %rd1, c;\n" + chase("ld.const.u32 %r2, [%rd4];");
    const auto first = cycles(kernel(text, "sm_75", constants));
    EXPECT_GT(first, 16u * 600);
    // A second time within the launch, the cache has it.
    const auto twice =
        cycles(kernel(text + "mov.u32 %r2, 0;\n" + chase("ld.const.u32 %r2, [%rd4];"), "sm_75", constants));
    EXPECT_LT(twice, first + 16u * 40);
}

TEST_F(Chains, ReadingGlobalMemoryAsConstantSavesNothing) {
    gpu.load_text(kernel(chase("ld.const.u32 %r2, [%rd4];")));
    const LaunchResult r = gpu.run("k", {}, p, q);
    if (r.status != Status::ok) return;  // refused: so does a GPU
    EXPECT_GT(r.blocks.at(0).cycles, 16u * 600);
    EXPECT_GE(r.first_load_sectors, 16u);
}

// L1's places are numbered by an address's low bits; arrays that lie far apart must not be taken for one another.
TEST_F(Clocked, L1KnowsArraysThatLieFarApart) {
    std::vector<DevicePtr> arrays;
    for (int n = 0; n < 20; ++n) arrays.push_back(gpu.array(std::vector<unsigned>(64, 0)));
    gpu.load_text(
        kernel("ld.global.u32 %r2, [%rd1];\nmembar.gl;\nld.global.u32 %r3, [%rd2];\n"
               "add.u32 %r4, %r2, %r3;\nst.global.u32 [%rd1+128], %r4;\n"));
    for (std::size_t n = 1; n < arrays.size(); ++n) gpu.run("k", {}, arrays[0], arrays[n]);  // L2 has them all
    const auto same = gpu.run("k", {}, arrays[0], arrays[0]).blocks.at(0).cycles;
    for (std::size_t n = 1; n < arrays.size(); ++n)
        EXPECT_GT(gpu.run("k", {}, arrays[0], arrays[n]).blocks.at(0).cycles, same) << n;
}

// 8,192 words of local memory: a warp's megabyte does not fit into 32 KiB of L1.
TEST_F(Clocked, LocalMemoryIsNoLargerThanL1) {
    const auto loop = [](int words) {
        return kernel(
            ".local .align 4 .b8 own[32768];\nmov.u64 %rd5, own;\nmov.u32 %r2, 0;\n$L:\n"
            "and.b32 %r3, %r2, " +
            std::to_string(words - 1) +
            ";\nmul.wide.u32 %rd6, %r3, 4;\n"
            "add.s64 %rd7, %rd5, %rd6;\nst.local.u32 [%rd7], %r2;\nld.local.u32 %r4, [%rd7];\n"
            "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 8192;\n@%p1 bra $L;\nst.global.u32 [%rd2], %r4;\n");
    };
    const LaunchResult small = run(loop(64)), large = run(loop(8192));
    EXPECT_LE(small.local_misses, 64u * 4);
    EXPECT_GE(large.local_misses, 8192u * 4);
}

TEST_F(Clocked, StoresByAtomicsAreBytesThatMove) {
    const LaunchResult stored =
        run(kernel("mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r1;\n"));
    EXPECT_EQ(stored.store_sectors, 4u);
    for (const char* store : {"atom.global.exch.b32 %r2, [%rd4+4096], %r1;", "red.global.add.u32 [%rd4+8192], %r1;",
                              "atom.global.cas.b32 %r2, [%rd4+16384], 0, %r1;"}) {
        const LaunchResult r =
            run(kernel(std::string("mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n") + store + "\n"));
        EXPECT_EQ(r.atomic_sectors, 4u) << store;
        EXPECT_EQ(r.first_load_sectors, 4u) << store;
    }
}

// Ways that lanes take apart are side by side in the chain; their instructions are not.
TEST_F(Clocked, AWarpIssuesOneInstructionAtATime) {
    std::string text = "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\nmov.u32 %r3, 0;\n@%p1 bra $EVEN;\n";
    for (const char* name : {"ODD", "EVEN"}) {
        text += std::string("$") + name + ":\nmov.u32 %r4, 0;\n$" + name + "2:\n";
        for (int n = 5; n < 15; ++n) text += "add.u32 %r" + std::to_string(n) + ", %r1, " + std::to_string(n) + ";\n";
        text += "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 100;\n@%p2 bra $" + std::string(name) + "2;\n";
        text += "bra $END;\n";
    }
    const LaunchResult r = run(kernel(text + "$END:\n"));
    EXPECT_GT(r.total.instructions, 2000u);
    EXPECT_GE(r.blocks.at(0).cycles, r.total.instructions);
}

// A grid of many blocks takes no memory for each of them.
TEST_F(Clocked, ManyEmptyBlocksAreKeptTogether) {
    constexpr std::uint64_t kBlocks = 3 << 19;
    const LaunchResult r = run(kernel(""), {.grid = {kBlocks, 1, 1}});
    EXPECT_LE(r.blocks.size(), kMostCosts);
    BlockCost sum;
    for (const BlockCost& some : r.blocks) sum.add(some);
    EXPECT_EQ(sum.blocks, kBlocks);
    EXPECT_EQ(sum.instructions, 4 * kBlocks);
    EXPECT_GE(sum.cycles, 4 * kBlocks);
}

TEST_F(Clocked, DoublesAndSpecialFunctionsAreCounted) {
    const LaunchResult r =
        run(kernel(".reg .f64 %fd<3>;\n.reg .f32 %f<3>;\nmov.f64 %fd1, 0d3FF0000000000000;\n"
                   "add.f64 %fd2, %fd1, %fd1;\nmul.f64 %fd2, %fd2, %fd2;\nmov.f32 %f1, 0f3F800000;\n"
                   "sin.approx.f32 %f2, %f1;\nst.global.f64 [%rd2], %fd2;\n"));
    EXPECT_EQ(r.blocks.at(0).f64_instructions, 2u);
    EXPECT_EQ(r.blocks.at(0).sfu_instructions, 1u);
}

TEST_F(Clocked, ALaunchTouchesItsSectorsOnceInACall) {
    gpu.load_text(
        kernel("mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n"
               "ld.global.u32 %r2, [%rd4];\nst.global.u32 [%rd5], %r2;\n"));
    gpu.memory.begin_call();
    for (int n = 0; n < 3; ++n) gpu.run("k", {.block = {64, 1, 1}}, p, q);
    EXPECT_EQ(gpu.memory.call_sectors(), 2u * 8);
    gpu.memory.begin_call();
    gpu.run("k", {.block = {64, 1, 1}}, p, p);
    EXPECT_EQ(gpu.memory.call_sectors(), 8u);
}

// ---- Kernels that wait for a time ----

std::string wait_by(const std::string& clock, const std::string& type, std::uint64_t time, const std::string& more) {
    const std::string r = type == "u32" ? "%r" : "%rd";
    return "mov." + type + " " + r + "10, " + clock + ";\n$L:\n" + more + "mov." + type + " " + r + "11, " + clock +
           ";\nsub." + type + " " + r + "12, " + r + "11, " + r + "10;\nsetp.lt." + type + " %p1, " + r + "12, " +
           std::to_string(time) + ";\n@%p1 bra $L;\nmov.u32 %r1, 7;\nst.global.u32 [%rd2], %r1;\n";
}

struct Waits : testing::TestWithParam<std::uint64_t> {
    LaunchResult run(const std::string& text, const Shape& shape = {}) {
        Gpu gpu(GetParam());
        gpu.load_text(text);
        const DevicePtr p = gpu.array(std::vector<unsigned>(64, 0)), q = gpu.array(std::vector<unsigned>(64, 0));
        return gpu.run("k", shape, p, q);
    }
};

TEST_P(Waits, TimePasses) {
    struct Clock {
        const char *name, *type;
    };
    for (const Clock& clock :
         {Clock{"%clock", "u32"}, {"%clock64", "u64"}, {"%globaltimer", "u64"}, {"%globaltimer_lo", "u32"}})
        for (const char* more : {"", "nanosleep.u32 100;\n", "ld.volatile.global.u32 %r2, [%rd1];\n"}) {
            SCOPED_TRACE(std::string(clock.name) + " " + more);
            const LaunchResult r = run(kernel(wait_by(clock.name, clock.type, 250'000'000, more)));
            EXPECT_EQ(r.status, Status::ok) << r.message;
            EXPECT_EQ(r.findings.size(), 0u);
            EXPECT_LT(r.steps, std::uint64_t{4} << 20);
            EXPECT_GT(r.blocks.at(0).cycles, 200'000'000u) << "the time is part of the kernel's";
            EXPECT_LT(r.blocks.at(0).cycles, 500'000'000u);
        }
}

TEST_P(Waits, OneThreadMayWaitWhileOthersWaitForIt) {
    const std::string first = "setp.ne.u32 %p1, %r1, 5;\n@%p1 bra $B;\n";
    const LaunchResult r =
        run(kernel(first + wait_by("%globaltimer", "u64", 1'000'000'000'000, "") + "$B:\nbar.sync 0;\n"),
            {.grid = {20, 1, 1}, .block = {96, 1, 1}});
    EXPECT_EQ(r.status, Status::ok) << r.message;
    EXPECT_EQ(findings(r), "");
    EXPECT_LT(r.steps, std::uint64_t{40} << 20);
}

// A clock that is read, but decides nothing: what it measures stays what it is, and who waits, waits forever.
TEST_P(Waits, MeasuringIsNoWaiting) {
    Gpu gpu(GetParam());
    gpu.load_text(
        kernel("mov.u32 %r5, 0;\nmov.u64 %rd9, 0;\n$L:\nmov.u64 %rd5, %clock64;\nadd.u32 %r5, %r5, 1;\n"
               "mov.u64 %rd6, %clock64;\nsub.u64 %rd7, %rd6, %rd5;\nadd.u64 %rd9, %rd9, %rd7;\n"
               "setp.lt.u32 %p1, %r5, 1000000;\n@%p1 bra $L;\nst.global.u64 [%rd2], %rd9;\n"));
    const DevicePtr p = gpu.array(std::vector<unsigned>(64, 0)), q = gpu.array(std::vector<std::uint64_t>(1, 0));
    const LaunchResult r = gpu.run("k", {}, p, q);
    EXPECT_EQ(r.status, Status::ok) << r.message;
    EXPECT_LT(gpu.values<std::uint64_t>(q, 1)[0], 100'000'000u);
}
TEST_P(Waits, ForAFlagWithAClockThatDecidesNothing) {
    const LaunchResult r =
        run(kernel("$L:\nmov.u64 %rd5, %clock64;\nld.volatile.global.u32 %r2, [%rd1];\n"
                   "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra $L;\nst.global.u64 [%rd2], %rd5;\n"));
    EXPECT_TRUE(findings(r).starts_with("deadlock")) << findings(r);
    EXPECT_LT(r.steps, std::uint64_t{8} << 20);
}
TEST_P(Waits, ForAFlagThatNoTimeSets) {  // the time only says how long to sleep
    const LaunchResult r = run(kernel("mov.u64 %rd5, %globaltimer;\n$L:\nmov.u64 %rd6, %globaltimer;\n"
                                      "sub.u64 %rd7, %rd6, %rd5;\nsetp.lt.u64 %p2, %rd7, 1000;\n@%p2 bra $S;\n"
                                      "nanosleep.u32 100;\n$S:\nld.volatile.global.u32 %r2, [%rd1];\n"
                                      "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra $L;\nst.global.u64 [%rd2], %rd5;\n"),
                               {.grid = {4, 1, 1}, .block = {128, 1, 1}});
    EXPECT_TRUE(findings(r).starts_with("deadlock")) << findings(r);
    EXPECT_LT(r.steps, std::uint64_t{16} << 20);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Waits, testing::Values(0, 1, 2, 5, 6, 7));

}  // namespace
}  // namespace vgpu
