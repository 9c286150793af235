// What the verifier refuses, and where; the PTX compiler refuses the same. tests/tools/fuzz_ptx.cc compares the two.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "virtual_gpu/ptx/linker.h"

namespace vgpu::ptx {
namespace {

std::string refusal(const std::string& text, const VerifyOptions& options = {}) {
    Program program;
    ParseError error;
    if (load({&text, 1}, program, error, options)) return "";
    return std::to_string(error.ptx_line) + ": " + error.message;
}

std::string module_of(const std::string& rest, const std::string& target = "sm_75",
                      const std::string& version = "9.0") {
    return ".version " + version + "\n.target " + target + "\n.address_size 64\n" + rest;
}

constexpr const char* kDeclarations =
    ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 s[16])\n{\nret;\n}\n"
    ".func g()\n{\nret;\n}\n"
    ".visible .entry other(.param .u64 p)\n{\nret;\n}\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    ".extern .func (.param .b32 r) __cudaCDP2GetDevice(.param .b64 a);\n"
    ".extern .func missing();\n"
    ".const .b32 fixed[4];\n.global .b32 array[4];\n";
constexpr const char* kRegisters =
    ".reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<6>;\n.reg .u32 %u<4>;\n.reg .f32 %f<6>;\n.reg .b64 %rd<4>;\n"
    ".reg .f64 %d<4>;\n.local .align 8 .b8 loc[16];\n.shared .align 8 .b8 sh[64];\n"
    ".param .b32 a0;\n.param .align 8 .b8 s0[16];\n.param .align 4 .b8 s4[16];\n.param .align 8 .b8 s8[24];\n"
    ".param .b32 r0;\n.param .b64 w0;\n.param .b64 v0;\n";

std::string kernel_of(const std::string& body, const std::string& target = "sm_75") {
    return module_of(
        std::string(kDeclarations) + ".visible .entry k(.param .u64 out)\n{\n" + kRegisters + body + "\nret;\n}\n",
        target);
}

struct Wrong {
    const char* body;
    const char* rule;
};

TEST(Verify, CallsFitTheFunctionCalled) {
    EXPECT_EQ(refusal(kernel_of("call (r0), f, (a0, s0);\ncall g;\ncall g, ();\ncall (r0), vprintf, (w0, v0);")), "");
    for (const auto& [body, rule] : std::to_array<Wrong>({{"call other, (w0);", "is a kernel"},
                                                          {"call other;", "is a kernel"},
                                                          {"call f, (a0, s0);", "1 result"},
                                                          {"call (r0), f, (a0);", "2 parameters"},
                                                          {"call (r0), f, (a0, s0, s0);", "2 parameters"},
                                                          {"call (w0), f, (a0, s0);", "of 8 bytes"},
                                                          {"call (r0), f, (w0, s0);", "of 8 bytes"},
                                                          {"call (r0), f, (a0, s8);", "of 24 bytes"},
                                                          {"call (r0), f, (a0, s4);", "alignment"},
                                                          {"call (r0), g;", "0 results"},
                                                          {"call missing;", "nobody defines it"},
                                                          {"call nowhere;", "nowhere"},
                                                          {"call array;", "array"},
                                                          {"mov.u64 %rd1, missing;", "address"}}))
        EXPECT_NE(refusal(kernel_of(body)).find(rule), std::string::npos) << body << refusal(kernel_of(body));
    EXPECT_NE(refusal(module_of(".visible .entry e()\n{\nret;\n}\n.visible .func a();\n.alias a, e;\n")), "");
    EXPECT_NE(refusal(module_of(".visible .func f(.param .b32 a);\n.visible .func f(.param .b64 a)\n{\nret;\n}\n")),
              "");
}

TEST(Verify, CallsThroughPointersHaveAPrototype) {
    const std::string p =
        "mov.u64 %rd1, f;\nP: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);\n";
    EXPECT_EQ(refusal(kernel_of(p + "call (r0), %rd1, (a0, s0), P;")), "");
    EXPECT_EQ(refusal(kernel_of("mov.u64 %rd1, g;\nP: .callprototype _ ();\ncall %rd1, P;")), "");
    EXPECT_EQ(refusal(kernel_of("T: .calltargets f;\ncall (r0), %rd1, (a0, s0), T;")), "");
    for (const char* call :
         {"call %rd1, (a0, s0), P;", "call (r0), %rd1, (a0), P;", "call (r0), %rd1, (w0, s0), P;",
          "call (r0), %rd1, (a0, s4), P;", "call (r0), %p1, (a0, s0), P;", "call (r0), %rd1, (a0, s0);",
          "call (r0), %rd1, (a0, s0), Q;", "T: .calltargets g;\ncall (r0), %rd1, (a0, s0), T;"})
        EXPECT_NE(refusal(kernel_of(p + call)), "") << call;
}

TEST(Verify, TheDeviceRuntimeIsThereIfItIsLinked) {
    const std::string text = kernel_of("call (r0), __cudaCDP2GetDevice, (w0);");
    EXPECT_EQ(refusal(text), "");
    EXPECT_NE(refusal(text, {.device_launches = false}).find("device runtime"), std::string::npos);
}

TEST(Verify, VariablesAreInTheirSpaces) {
    EXPECT_EQ(refusal(kernel_of("ld.const.u32 %r1, [fixed+4];\nld.global.u32 %r1, [array];\nld.shared.u32 %r1, [sh];\n"
                                "ld.local.u32 %r1, [loc];\nld.u32 %r1, [sh];\nld.param.u64 %rd1, [out];\n"
                                "cvta.shared.u64 %rd1, sh;\nst.param.b32 [a0], %r1;")),
              "");
    for (const char* body :
         {"ld.global.u32 %r1, [sh];", "ld.const.u32 %r1, [array];", "ld.local.u32 %r1, [sh];", "ld.u32 %r1, [out];",
          "st.const.u32 [fixed], %r1;", "st.param.u64 [out], %rd1;", "atom.const.add.u32 %r1, [fixed], %r2;",
          "atom.global.add.u32 %r1, [sh], %r2;", "cvta.shared.u64 %rd1, loc;", "ldu.shared.u32 %r1, [sh];",
          "ld.shared.nc.u32 %r1, [sh];", "ld.volatile.const.u32 %r1, [fixed];", "ld.global.u32 %r1, [g];"})
        EXPECT_NE(refusal(kernel_of(body)), "") << body;
    EXPECT_NE(refusal(module_of(".local .b8 l[16];\n")), "");
    EXPECT_NE(refusal(module_of(".shared .b32 s = 3;\n")), "");
}

TEST(Verify, SizesHaveLimits) {
    const auto entry = [](const std::string& bytes) {
        return module_of(".entry k(.param .align 4 .b8 p[" + bytes + "])\n{\nret;\n}\n");
    };
    EXPECT_EQ(refusal(entry("32764")), "");
    EXPECT_NE(refusal(entry("32768")).find("32,764"), std::string::npos);
    EXPECT_EQ(refusal(module_of(".const .b8 a[65536];\n")), "");
    EXPECT_NE(refusal(module_of(".const .b8 a[40000];\n.const .b8 b[40000];\n")).find("65,536"), std::string::npos);
    EXPECT_NE(refusal(module_of(".func f(.param .align 256 .b8 s[256])\n{\nret;\n}\n")), "");
    EXPECT_NE(refusal(module_of(".global .align 3 .b8 s[4];\n")), "");
    for (const char* body : {"ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd1}, [%rd1];",
                             "ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];", "ld.global.v2.u32 %r1, [%rd1];",
                             "ld.global.v2.u32 {%r1, %rd2}, [%rd1];", "mov.b64 %rd1, {%r1, %h1};", "bar.sync 16;"})
        EXPECT_NE(refusal(kernel_of(body)), "") << body;
}

TEST(Verify, RegistersFitTheInstruction) {
    EXPECT_EQ(refusal(kernel_of("add.s32 %r1, %u1, %r2;\nadd.f32 %r1, %f1, 0f3F800000;\nmov.b32 %f1, %u1;\n"
                                "ld.global.u8 %h1, [%rd1];\nld.global.f32 %rd2, [%rd1];\nst.global.u32 [%rd1], %rd2;\n"
                                "mad.wide.u32 %rd1, %r1, %r2, %rd2;\ncvt.u16.u32 %r1, %r2;\nmov.b64 {%f1, _}, %rd1;\n"
                                "setp.eq.and.u32 %p1|%p2, %r1, %r2, !%p3;\nshfl.sync.idx.b32 %f1|%p1, %r1, 1, 31, -1;\n"
                                "lop3.and.b32 %r1|%p1, %r2, %r3, %r1, 0x96, %p2;\nand.pred %p1, !%p2, %p3;")),
              "");
    for (const char* body : {"add.s32 %f1, %f2, %f3;",
                             "add.f32 %u1, %f1, %f2;",
                             "add.u64 %r1, %rd1, %rd1;",
                             "mov.u64 %rd1, %r1;",
                             "ld.global.u32 %h1, [%rd1];",
                             "ld.global.u32 %f1, [%rd1];",
                             "ld.global.u32 %r1, [%r2];",
                             "ld.global.u32 %r1, [%f2];",
                             "st.global.u32 [%rd1], %h1;",
                             "setp.eq.u32 %r1, %r1, %r2;",
                             "selp.b32 %r1, %r2, %r3, %r1;",
                             "add.u32 %r1, %r2;",
                             "add.u32 %r1, %r2, %r3, %r1;",
                             "add.u32 1, %r2, %r3;",
                             "mul.wide.u32 %r1, %r1, %r2;",
                             "shl.b32 %r1, %r2, %rd1;",
                             "popc.b64 %rd1, %rd1;",
                             "add.b32 %r1, %r2, %r3;",
                             "and.u32 %r1, %r2, %r3;",
                             "vote.sync.all.pred %r1, %p1, -1;",
                             "atom.global.cas.b32 %r1, [%rd1], %r2;",
                             "red.global.cas.b32 [%rd1], %r1, %r2;",
                             "atom.global.add.u32 %r1, [%rd1], %f1;",
                             "mov.u64 %rd1, %tid.x;",
                             "add.u32 %r1, %tid.x, 1;",
                             "add.u32 _, %r1, %r2;",
                             "cvt.u32.u64 %r1, %r2;",
                             "lop3.b32 %r1, %r2, %r3, %r1, %r2;"})
        EXPECT_NE(refusal(kernel_of(body)), "") << body;
}

// What ptxas takes and refuses of these.
TEST(Verify, MatricesTexturesAndSmallFloats) {
    for (const char* body :
         {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %f1}, [sh];",
          "stmatrix.sync.aligned.m8n8.x1.shared.b16 [sh], {%r1};", "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
          "createpolicy.fractional.L2::evict_last.b64 %rd1, 0f3F800000;", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;",
          "cvt.rn.relu.f16x2.e5m2x2 %r1, %h1;", "tex.2d.v4.f32.f32 {%r1, %f1, _, %f2}, [%rd1, {%f1, %r1}];",
          "tex.1d.v4.f32.s32 {%f1, _, _, _}, [%rd1, %r1];", "suld.b.2d.b8.trap {%r1}, [%rd1, {%r1, %r2}];",
          "sust.b.2d.b32.zero [%rd1, {%r1, %r2}], {5};", "txq.width.b32 %r1, [%rd1];"})
        EXPECT_EQ(refusal(kernel_of(body, "sm_90")), "") << body;
    for (const char* body :
         {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [sh];",
          "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [sh];",
          "ldmatrix.sync.aligned.m8n8.x1.global.b16 {%r1}, [%rd1];",
          "stmatrix.sync.aligned.m8n8.x1.shared.b16 [sh], {5};", "movmatrix.sync.aligned.m8n8.trans.b16 %rd1, %r2;",
          "cvt.rn.e4m3x2.f32 %h1, %f1, %f2;", "cvt.rn.satfinite.f16x2.e4m3x2 %r1, %h1;",
          "cvt.rn.satfinite.e4m3x2.f32 %r1, %f1, %f2;", "tex.2d.v4.f32.f32 {%f1, %f2, %f1, %f2}, [%r1, {%f1, %f2}];",
          "tex.3d.v4.f32.f32 {%f1, %f2, %f1, %f2}, [%rd1, {%f1, %f2, %f1}];",
          "tex.2d.v2.f32.f32 {%f1, %f2}, [%rd1, {%f1, %f2}];", "suld.b.2d.b32.trap {%h1}, [%rd1, {%r1, %r2}];",
          "suld.b.2d.b32 {%r1}, [%rd1, {%r1, %r2}];", "txq.width.b32 %h1, [%rd1];"})
        EXPECT_NE(refusal(kernel_of(body, "sm_90")), "") << body;
}

// What ptxas takes and refuses of tensor cores.
TEST(Verify, MatrixProducts) {
    const std::string four = "{%r1, %r2, %r3, %r1}", eight = "{%r1, %r2, %r3, %r1, %r2, %r3, %r1, %r2}";
    const std::string floats = "{%f1, %f2, %f1, %f2, %f1, %f2, %f1, %f2}", sums = "{%f1, %f2, %f1, %f2}";
    const std::string wmma = "wmma.mma.sync.aligned.row.col.", load = "wmma.load.a.sync.aligned.row.";
    for (const std::string& body :
         {load + "m16n16k16.f16 " + eight + ", [%rd1], 16;", load + "m16n16k16.global.f16 " + eight + ", [%rd1], %r1;",
          load + "m16n16k16.shared.f16 " + eight + ", [sh];", load + "m16n16k16.s8 {%r1, %r2}, [%rd1], 16;",
          std::string("wmma.load.c.sync.aligned.col.m8n32k16.f32 ") + floats + ", [%rd1], 8;",
          std::string("wmma.store.d.sync.aligned.col.m8n32k16.f32 [%rd1], ") + floats + ", 8;",
          wmma + "m16n16k16.f32.f32 " + floats + ", " + eight + ", " + eight + ", " + floats + ";",
          wmma + "m16n16k16.f16.f16 " + four + ", " + eight + ", " + eight + ", " + four + ";",
          wmma + "m16n16k16.f32.bf16.bf16.f32 " + floats + ", " + four + ", " + four + ", " + floats + ";",
          wmma + "m16n16k16.s32.u8.u8.s32.satfinite " + eight + ", {%r1, %r2}, {%r1, 3}, " + eight + ";",
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + sums + ", " + four + ", {%r1, %r2}, " + sums + ";",
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, _, %r1, %f2}, " + four + ", {%r1, 5}, " + sums + ";",
          std::string("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%r1, %r2}, {%r1}, {%r2}, {%r1, %r2};"),
          // Not implemented: refused where it is reached.
          "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 " + four + ", {%r1, %r2}, {%r1, %r2}, " + four + ";"})
        EXPECT_EQ(refusal(kernel_of(body, "sm_90")), "") << body;
    for (const std::string& body :
         {load + "m16n16k16.f16 " + four + ", [%rd1], 16;",
          load + "m16n16k16.f16 " + floats + ", %rd1, 16;",
          load + "m16n16k16.f16 " + eight + ", [%rd1], %f1;",
          load + "m16n16k16.f16 " + eight + ", [%rd1], %rd1;",
          load + "m16n16k16.f16 " + eight + ", [%rd1], 16, 16;",
          load + "m16n16k16.f16 {%r1, %r2, %r3, %r1, %r2, %r3, %r1, %p1}, [%rd1], 16;",
          load + "m16n16k16.f16 {%r1, %r2, %r3, %r1, %r2, %r3, %r1, %h1}, [%rd1], 16;",
          load + "m16n16k16.f16 {%r1, %r2, %r3, %r1, %r2, %r3, %r1, 1}, [%rd1], 16;",
          load + "m16n16k16.const.f16 " + eight + ", [%rd1], 16;",
          load + "m16n16k16.local.f16 " + eight + ", [%rd1], 16;",
          load + "m16n16k16.f32 " + eight + ", [%rd1], 16;",
          load + "m16n16k8.f16 " + eight + ", [%rd1], 16;",
          load + "m16n16k16.f16.f16 " + eight + ", [%rd1], 16;",
          std::string("wmma.load.d.sync.aligned.row.m16n16k16.f32 ") + floats + ", [%rd1], 16;",
          std::string("wmma.store.a.sync.aligned.row.m16n16k16.f16 [%rd1], ") + eight + ", 16;",
          std::string(
              "wmma.store.d.sync.aligned.row.m16n16k16.f32 [%rd1], {%f1, _, %f1, %f2, %f1, %f2, %f1, %f2}, 16;"),
          std::string("wmma.store.d.sync.aligned.row.m16n16k16.f32 ") + floats + ", [%rd1], 16;",
          wmma + "m16n16k16.f32.f32 " + sums + ", " + eight + ", " + eight + ", " + floats + ";",
          wmma + "m16n16k16.f32.f32 " + floats + ", " + four + ", " + eight + ", " + floats + ";",
          wmma + "m16n16k16.f32.f32 " + floats + ", " + eight + ", " + eight + ";",
          wmma + "m16n16k16.f16.f16.f16.f16 " + four + ", " + eight + ", " + eight + ", " + four + ";",
          wmma + "m16n16k16.f32.tf32.tf32.f32 " + floats + ", " + four + ", " + four + ", " + floats + ";",
          wmma + "m16n16k16.s32.s8.u8.s32 " + eight + ", {%r1, %r2}, {%r1, %r2}, " + eight + ";",
          wmma + "m16n16k16.f32.f32.satfinite.rn " + floats + ", " + eight + ", " + eight + ", " + floats + ";",
          std::string("wmma.mma.sync.aligned.row.m16n16k16.f32.f32 ") + floats + ", " + eight + ", " + eight + ", " +
              floats + ";",
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + sums + ", " + four + ", " + four + ", " + sums + ";",
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 " + sums + ", " + four + ", {%r1, %r2}, {%r1, %r2};",
          "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32 " + sums + ", " + four + ", {%r1, %r2}, " + sums + ";",
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%rd1, %rd1, %rd1, %rd1}, " + four + ", {%r1, %r2}, " +
              sums + ";",
          std::string("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 {%r1, %r2}, {%r1}, {%r2}, {%r1, %r2};")})
        EXPECT_NE(refusal(kernel_of(body, "sm_90")), "") << body;
    const std::string larger =
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + sums + ", " + four + ", {%r1, %r2}, " + sums + ";";
    EXPECT_NE(refusal(kernel_of(larger, "sm_75")).find(".target"), std::string::npos);
    const std::string smaller =
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " + sums + ", {%r1, %r2}, {%r1}, " + sums + ";";
    EXPECT_EQ(refusal(kernel_of(smaller, "sm_75")), "");
}

TEST(Verify, TypesAndSpacesFitTheInstruction) {
    for (const char* body :
         {"fence.acq_rel.gpu;", "fence.proxy.async.shared::cta;", "vote.sync.ballot.b32 %r1, %p1, -1;",
          "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", "prefetch.global.L2 [%rd1];", "setp.lo.u32 %p1, %r1, %r2;",
          "set.lo.f32.u32 %f1, %r1, %r2;", "cp.async.ca.shared.global [sh], [%rd1], 4;"})
        EXPECT_EQ(refusal(kernel_of(body, "sm_90")), "") << body;
    for (const char* body :
         {"fence.acq_rel.u64;", "fence.proxy.u8;", "fence.acq_rel.local;", "vote.sync.ballot.f16 %r1, %p1, -1;",
          "shfl.sync.bfly.f32 %r1, %r2, 1, 31, -1;", "cvta.shared.f64 %rd1, sh;", "dp4a.u32.pred %r1, %r2, %r3, %r1;",
          "prefetch.const.L1 [%rd1];", "isspacep.shared %p1, %h1;", "setp.lo.f32 %p1, %f1, %f2;",
          "cp.async.ca.shared.const [sh], [%rd1], 4;"})
        EXPECT_NE(refusal(kernel_of(body, "sm_90")), "") << body;
}

TEST(Verify, NamesAreUniqueAndDeclared) {
    for (const char* body : {"bra nowhere;", "L:\nbra L;\nL:", ".reg .b32 %r1;", ".reg .b64 %r<3>;", "mov.b32 %r9, 1;",
                             "mov.u64 %rd1, nothing;", "brx.idx %r1, T;\nL: ret;\nT: .branchtargets L;"})
        EXPECT_NE(refusal(kernel_of(body)), "") << body;
    EXPECT_EQ(refusal(kernel_of("{\n.reg .b64 %r1;\nmov.u64 %r1, 1;\n}")), "");
}

TEST(Verify, TargetAndVersionHaveTheInstruction) {
    for (const char* body : {"cp.async.ca.shared.global [sh], [%rd1], 4;", "mbarrier.init.shared.b64 [sh], 1;",
                             "redux.sync.add.u32 %r1, %r2, -1;", "fma.rn.bf16 %h1, %h2, %h3, %h1;",
                             "max.NaN.f32 %f1, %f2, %f3;", "min.f16 %h1, %h2, %h3;", "fence.acq_rel.cluster;",
                             "mov.u32 %r1, %cluster_ctaid.x;", "ld.global.L2::256B.u32 %r1, [%rd1];"}) {
        EXPECT_NE(refusal(kernel_of(body)).find(".target"), std::string::npos) << body << refusal(kernel_of(body));
        EXPECT_EQ(refusal(kernel_of(body, "sm_90")), "") << body;
    }
    EXPECT_NE(refusal(module_of("", "sm_75", "6.2")), "");
    EXPECT_NE(refusal(module_of("", "sm_33")), "");
    EXPECT_NE(refusal(module_of("", "sm_90"), {.capability = 75}), "");
    EXPECT_NE(
        refusal(module_of(".entry k()\n{\n.reg .b32 %r<3>;\nredux.sync.add.u32 %r1, %r2, -1;\n}\n", "sm_90", "7.8")),
        "x");
}

TEST(Verify, NamesTheLine) {
    const std::string why = refusal(module_of(".entry e()\n{\nret;\n}\n.entry k()\n{\n\ncall e;\nret;\n}\n"));
    EXPECT_TRUE(why.starts_with("11: ")) << why;
}

}  // namespace
}  // namespace vgpu::ptx
