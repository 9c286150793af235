// Which kernels do the same in every schedule: what a caller need not run twice.
#include <gtest/gtest.h>

#include "exec_harness.h"

namespace vgpu {
namespace {

// A kernel with this body, and functions beside it.
bool order_free(const std::string& body, const std::string& before = "") {
    Gpu gpu;
    gpu.load_text(kHead + before +
                  ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n"
                  ".reg .pred %p<4>;\n.shared .align 4 .b32 s[64];\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
                  "mov.u32 %r2, 1;\nmov.f32 %f1, 0f3F800000;\n" +
                  body + "\nret;\n}\n");
    const DevicePtr p = gpu.array(std::vector<unsigned>(64, 0));
    const LaunchResult r = gpu.run("k", {}, p);
    EXPECT_EQ(r.status, Status::ok) << r.message;
    return r.is_order_free;
}

TEST(OrderFree, PlainAccessesBarriersAndShuffles) {
    EXPECT_TRUE(order_free("st.global.u32 [%rd1], %r2;"));
    EXPECT_TRUE(
        order_free("bar.sync 0;\nshfl.sync.down.b32 %r3, %r2, 1, 31, 0xffffffff;\nvote.sync.ballot.b32 %r4, "
                   "%p1, 0xffffffff;"));
    EXPECT_TRUE(order_free("ld.global.nc.u32 %r3, [%rd1];\nadd.u32 %r3, %r3, %r1;"));
}

TEST(OrderFree, AtomicsWhoseOldValueNobodyReads) {
    EXPECT_TRUE(order_free("red.global.add.u32 [%rd1], %r2;"));
    EXPECT_TRUE(order_free("atom.global.add.u32 %r3, [%rd1], %r2;\natom.shared.add.u32 %r4, [s], %r2;"));
    EXPECT_FALSE(order_free("atom.global.add.u32 %r3, [%rd1], %r2;\nst.global.u32 [%rd1+8], %r3;"));
    EXPECT_FALSE(order_free("atom.shared.add.u32 %r3, [s], %r2;\n@%p1 bra $E;\nadd.u32 %r4, %r3, 1;\n$E:"));
    EXPECT_FALSE(order_free("atom.global.exch.b32 %r3, [%rd1], %r2;"));
    EXPECT_FALSE(order_free("atom.global.cas.b32 %r3, [%rd1], 0, %r2;"));
    EXPECT_FALSE(order_free("red.global.inc.u32 [%rd1], %r2;"));
    EXPECT_FALSE(order_free("red.global.add.f32 [%rd1], %f1;"));
    EXPECT_FALSE(order_free("red.global.add.u32 [%rd1], %r2;\nred.global.max.u32 [%rd1], %r2;"));
    EXPECT_FALSE(order_free("red.release.gpu.global.add.u32 [%rd1], %r2;"));
}

TEST(OrderFree, FlagsFencesClocksAndPlaces) {
    EXPECT_FALSE(order_free("ld.volatile.global.u32 %r3, [%rd1];"));
    EXPECT_FALSE(order_free("st.relaxed.gpu.global.u32 [%rd1], %r2;"));
    EXPECT_FALSE(order_free("ld.acquire.gpu.global.u32 %r3, [%rd1];"));
    EXPECT_FALSE(order_free("membar.gl;"));
    EXPECT_FALSE(order_free("activemask.b32 %r3;"));
    EXPECT_FALSE(order_free("mov.u32 %r3, %clock;"));
    EXPECT_FALSE(order_free("mov.u32 %r3, %smid;"));
}

TEST(OrderFree, AllThatTheKernelMayReachCounts) {
    const auto function = [](const std::string& body) {
        return ".func f(.param .u64 a)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\nld.param.u64 %rd1, [a];\n" + body +
               "\nret;\n}\n";
    };
    const std::string call = "{\n.param .u64 a;\nst.param.u64 [a], %rd1;\ncall.uni f, (a);\n}";
    EXPECT_TRUE(order_free(call, function("st.global.u32 [%rd1], 1;")));
    EXPECT_FALSE(order_free(call, function("ld.volatile.global.u32 %r1, [%rd1];")));
    const std::string print =
        "{\n.param .b64 a;\n.param .b64 b;\n.param .b32 c;\nst.param.b64 [a], %rd1;\nst.param.b64 [b], 0;\n"
        "call.uni (c), vprintf, (a, b);\n}";
    EXPECT_FALSE(order_free(print, ".extern .func (.param .b32 c) vprintf(.param .b64 a, .param .b64 b);\n"));
}

}  // namespace
}  // namespace vgpu
