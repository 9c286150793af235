// What the modelled time goes by: what L2 has from earlier launches, queues in shared memory, local arrays, tickets.
#include <gtest/gtest.h>

#include "exec_harness.h"

namespace vgpu {
namespace {

// Each thread reads the word with its number.
std::string reads_a_word() {
    return std::string(kHead) +
           ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %r<6>;\n.reg .b64 %rd<6>;\n"
           "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.s32 %r4, %r2, %r3, %r1;\n"
           "ld.param.u64 %rd1, [in];\nmad.wide.u32 %rd2, %r4, 4, %rd1;\nld.global.u32 %r5, [%rd2];\n"
           "ld.param.u64 %rd3, [out];\nmad.wide.u32 %rd4, %r4, 4, %rd3;\nst.global.u32 [%rd4], %r5;\nret;\n}\n";
}

struct L2 : testing::Test {
    static constexpr std::uint64_t kBlocks = 16, kSectors = kBlocks * 256 * 4 / 32;  // of one array
    Gpu gpu;
    DevicePtr d_in, d_out;
    L2() {
        gpu.load_text(reads_a_word());
        d_in = gpu.array(std::vector<unsigned>(kBlocks * 256, 7));
        d_out = gpu.fresh<unsigned>(kBlocks * 256);
    }
    LaunchResult run() { return gpu.run("k", {.grid = {kBlocks, 1, 1}, .block = {256, 1, 1}}, d_in, d_out); }
};

TEST_F(L2, HasWhatAnEarlierLaunchTouched) {
    gpu.memory.l2().set_sectors(4 * kSectors);
    const LaunchResult first = run(), second = run();
    EXPECT_EQ(first.unique_sectors, 2 * kSectors);
    EXPECT_EQ(first.new_sectors, 2 * kSectors);
    EXPECT_EQ(first.first_load_sectors, kSectors);
    EXPECT_EQ(first.old_victims, 2 * kSectors);
    EXPECT_EQ(second.unique_sectors, 2 * kSectors);
    EXPECT_EQ(second.new_sectors, 0u);
    EXPECT_EQ(second.first_load_sectors, 0u);
    EXPECT_LT(second.blocks[0].cycles, first.blocks[0].cycles);
    gpu.memory.l2().forget();
    EXPECT_EQ(run().new_sectors, 2 * kSectors);
}

TEST_F(L2, KeepsNothingOfALaunchThatGoesThroughMoreThanItHolds) {
    gpu.memory.l2().set_sectors(kSectors);
    EXPECT_EQ(run().old_victims, kSectors);
    const LaunchResult second = run();
    EXPECT_EQ(second.new_sectors, 2 * kSectors);
    EXPECT_EQ(second.old_victims, 0u);
}

// A warp's lanes all do this to one word of shared memory.
std::string on_one_word(const std::string& instruction, const std::string& result) {
    return std::string(kHead) +
           ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<6>;\n.reg .b64 %rd<6>;\n"
           ".shared .align 4 .b8 word[4];\nmov.u32 %r1, word;\nmov.u32 %r2, 0;\nmov.u32 %r4, 1;\n"
           "st.shared.u32 [%r1], %r2;\nbar.sync 0;\n" +
           instruction +
           "\nld.param.u64 %rd1, [out];\n"
           "st.global.u32 [%rd1], " +
           result + ";\nret;\n}\n";
}

std::uint64_t wavefronts(const std::string& instruction, const std::string& result) {
    Gpu gpu(0, false);
    gpu.load_text(on_one_word(instruction, result));
    return gpu.run("k", {}, gpu.fresh<unsigned>(1)).blocks.at(0).shared_wavefronts;
}

TEST(SharedAtomics, LanesWaitForEachOtherUnlessTheyOnlyCount) {
    const std::uint64_t together = wavefronts("atom.shared.add.u32 %r3, [%r1], 1;", "%r2");
    EXPECT_EQ(wavefronts("red.shared.add.u32 [%r1], 1;", "%r2"), together);
    EXPECT_EQ(wavefronts("atom.shared.add.u32 %r3, [%r1], 1;", "%r3"), together + 31);  // each wants its own number
    EXPECT_EQ(wavefronts("atom.shared.add.u32 %r3, [%r1], 2;", "%r2"), together + 31);
    EXPECT_EQ(wavefronts("atom.shared.add.u32 %r3, [%r1], %r4;", "%r2"), together + 31);
    EXPECT_EQ(wavefronts("atom.shared.max.u32 %r3, [%r1], 1;", "%r2"), together + 31);
}

// Lane i reads word i * step of its local array.
std::string reads_local(int step) {
    return std::string(kHead) +
           ".visible .entry k(.param .u64 out)\n{\n.local .align 4 .b8 own[256];\n.reg .b32 %r<6>;\n.reg .b64 %rd<8>;\n"
           "mov.u32 %r1, %tid.x;\nmov.u64 %rd1, own;\nmul.wide.u32 %rd2, %r1, " +
           std::to_string(4 * step) +
           ";\nadd.s64 %rd3, %rd1, %rd2;\nst.local.u32 [%rd3], %r1;\nld.local.u32 %r2, [%rd3];\n"
           "ld.param.u64 %rd4, [out];\nmad.wide.u32 %rd5, %r1, 4, %rd4;\nst.global.u32 [%rd5], %r2;\nret;\n}\n";
}

TEST(LocalArrays, LanesAtDifferentIndexesTakeTheirTime) {
    BlockCost cost[2];
    for (const int step : {0, 1}) {
        Gpu gpu(0, false);
        gpu.load_text(reads_local(step));
        cost[step] = gpu.run("k", {}, gpu.fresh<unsigned>(32)).blocks.at(0);
    }
    EXPECT_EQ(cost[0].global_sectors, 4u + 2 * 4);  // d_out, and the store and the load of one word of each lane
    EXPECT_EQ(cost[1].global_sectors, 4u + 2 * 32);
    EXPECT_GT(cost[1].cycles, cost[0].cycles);
}

// Blocks draw tickets until there are no more. What a ticket takes is a loop of 200 rounds.
std::string draws_tickets() {
    return std::string(kHead) +
           ".visible .entry k(.param .u64 next, .param .u32 tickets)\n{\n.reg .b32 %r<6>;\n.reg .b64 %rd<3>;\n"
           ".reg .pred %p<3>;\nld.param.u64 %rd1, [next];\nld.param.u32 %r1, [tickets];\n"
           "$draw:\natom.global.add.u32 %r2, [%rd1], 1;\nsetp.ge.u32 %p1, %r2, %r1;\n@%p1 bra $end;\nmov.u32 %r3, 0;\n"
           "$work:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 200;\n@%p2 bra $work;\nbra.uni "
           "$draw;\n$end:\nret;\n}\n";
}

TEST(Tickets, AreSharedOutAmongTheBlocksThatTheDeviceHolds) {
    constexpr unsigned kBlocks = 40, kTickets = 4 * kBlocks;
    std::uint64_t most = 0, least = ~std::uint64_t{0};
    Gpu gpu(0, false);
    gpu.load_text(draws_tickets());
    const DevicePtr d_next = gpu.array(std::vector<unsigned>{0});
    const auto r = gpu.run("k", {.grid = {kBlocks, 1, 1}, .block = {1, 1, 1}, .room = kBlocks}, d_next, kTickets);
    ASSERT_EQ(r.blocks.size(), kBlocks);
    for (const BlockCost& block : r.blocks) {
        most = std::max(most, block.instructions);
        least = std::min(least, block.instructions);
    }
    EXPECT_EQ(gpu.values<unsigned>(d_next, 1)[0], kTickets + kBlocks);
    EXPECT_LT(most, 2 * least);
}

// Three ways lead to one store, and the compiler has put it behind the first of them.
TEST(Costs, LanesMeetBeforeAStoreThatStandsInFrontOfThem) {
    Gpu gpu;
    gpu.load_text(std::string(kHead) +
                  ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n.reg .pred %p<3>;\n"
                  "mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [out];\nmad.wide.u32 %rd2, %r1, 4, %rd1;\n"
                  "setp.gt.u32 %p1, %r1, 7;\n@%p1 bra $MORE;\nmov.u32 %r2, 100;\n"
                  "$STORE:\nst.global.u32 [%rd2], %r2;\nret;\n"
                  "$MORE:\nmov.u32 %r2, 200;\nsetp.gt.u32 %p2, %r1, 19;\n@!%p2 bra $STORE;\n"
                  "add.u32 %r2, %r1, 300;\nbra $STORE;\n}\n");
    const DevicePtr out = gpu.fresh<unsigned>(32);
    const LaunchResult r = gpu.run("k", {}, out);
    ASSERT_EQ(r.status, Status::ok) << r.message;
    const std::vector<unsigned> got = gpu.values<unsigned>(out, 32);
    for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(got[t], t <= 7 ? 100 : t <= 19 ? 200 : t + 300) << t;
    EXPECT_EQ(r.total.global_stores, 1u);
    EXPECT_EQ(r.total.instructions, 13u);  // as a GPU's: a jump between blocks that were moved is none
}

}  // namespace
}  // namespace vgpu
