// Undefined values: each pair of kernels in undefined.cu, and what only PTX can say.
#include <gtest/gtest.h>

#include <optional>

#include "exec_harness.h"
#include "virtual_gpu/undefined/origins.h"

namespace vgpu {
namespace {

constexpr int kWritten = 32, kAll = 64;

struct Outcome {
    LaunchResult launch;
    std::string to_host;  // what is said when the output goes to the host
    int host_line = 0;    // where that comes from
    std::vector<const Finding*> found() const {
        std::vector<const Finding*> out;
        for (const Finding& f : launch.findings)
            if (f.kind == Kind::uninitialized) out.push_back(&f);
        return out;
    }
    std::string text() const { return findings(launch) + to_host + launch.message; }
};

struct Undefined : testing::Test {
    Gpu gpu;
    DevicePtr in = 0, out = 0;

    void start(const std::string& kernels) {
        gpu.load(kernels);
        arrays();
    }
    void arrays() {
        in = gpu.fresh<int>(kAll, "d_in");
        std::vector<int> some(kWritten);
        for (int i = 0; i < kWritten; ++i) some[static_cast<std::size_t>(i)] = i;
        gpu.memory.write(in, std::as_bytes(std::span(some)));
        out = gpu.array(std::vector<int>(kAll), "d_out");
    }
    Outcome run(const std::string& kernel, int n = kWritten) {
        Outcome o;
        o.launch = gpu.run(kernel, {.block = {32, 1, 1}}, in, out, n);
        take(o);
        return o;
    }
    void take(Outcome& o) {
        if (const auto left = gpu.memory.take_undefined(out, kAll * sizeof(int))) {
            o.to_host = origin_text(gpu.memory.origins(), left->origin);
            o.host_line = gpu.memory.origins().place_of(gpu.memory.origins()[left->origin]).source.line;
        }
    }
};

// ---- Pairs ----

struct Pair {
    const char *file, *name;
};

struct Pairs : Undefined, testing::WithParamInterface<Pair> {
    const std::string file = GetParam().file, name = GetParam().name;
    void SetUp() override { start(file); }
    int line(const std::string& what) const {
        const int both = line_of(file, name + " read used");
        return both > 0 ? both : line_of(file, name + " " + what);
    }
};

TEST_P(Pairs, BadOneIsFoundWithBothLines) {
    const Outcome o = run(name + "_bad");
    EXPECT_EQ(o.launch.status, Status::ok) << o.launch.message;
    const int read = line("read"), used = line("used");
    if (used < 0) {  // only the host uses it
        EXPECT_EQ(findings(o.launch), "");
        EXPECT_EQ(o.host_line, read) << o.text();
        return;
    }
    const auto found = o.found();
    ASSERT_EQ(found.size(), 1u) << o.text();
    EXPECT_EQ(found[0]->place.line, used) << o.text();
    if (read > 0) {
        EXPECT_EQ(found[0]->other_place.line, read) << o.text();
    }
    EXPECT_NE(found[0]->what.find(file + ".cu:" + std::to_string(used)), std::string::npos) << o.text();
    EXPECT_FALSE(found[0]->help.empty());
}

TEST_P(Pairs, GoodOneIsNot) {
    const Outcome o = run(name + "_good");
    EXPECT_EQ(o.launch.status, Status::ok) << o.launch.message;
    EXPECT_EQ(o.text(), "");
}

TEST_P(Pairs, WithoutChecksNothingIsSaid) {
    gpu.options.check_memory = false;
    gpu.executor.configure(gpu.options);
    const Outcome o = run(name + "_good");
    EXPECT_EQ(o.text(), "");
}

INSTANTIATE_TEST_SUITE_P(
    Memory, Pairs,
    testing::Values(Pair{"undefined", "branch"}, Pair{"undefined", "address"}, Pair{"undefined", "host"},
                    Pair{"undefined", "tile"}, Pair{"undefined", "tile_to_host"}, Pair{"undefined", "through_memory"},
                    Pair{"undefined", "loop"}, Pair{"undefined", "either_way"}, Pair{"undefined", "padding"},
                    Pair{"undefined", "halves"}, Pair{"undefined", "pair"}, Pair{"undefined", "bits"},
                    Pair{"undefined", "bytes"}, Pair{"undefined", "select"}, Pair{"undefined", "times_zero"},
                    Pair{"undefined", "low_bits"}, Pair{"undefined", "predicate"}),
    [](const auto& info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(Threads, Pairs,
                         testing::Values(Pair{"undefined_threads", "shuffle"}, Pair{"undefined_threads", "partial_sum"},
                                         Pair{"undefined_threads", "left_lane"}, Pair{"undefined_threads", "diverged"},
                                         Pair{"undefined_threads", "shuffle_lane"}, Pair{"undefined_threads", "ballot"},
                                         Pair{"undefined_threads", "local_array"},
                                         Pair{"undefined_threads", "accumulator"},
                                         Pair{"undefined_threads", "one_path"}, Pair{"undefined_threads", "call"},
                                         Pair{"undefined_threads", "atomic"}, Pair{"undefined_threads", "counter"},
                                         Pair{"undefined_threads", "barrier"}, Pair{"undefined_threads", "print"}),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- Words ----

struct Words : Undefined {
    void SetUp() override { start("undefined"); }
};

TEST_F(Words, NameArrayIndexAndBothPlaces) {
    const Outcome o = run("tile_bad");
    ASSERT_EQ(o.found().size(), 1u) << o.text();
    const Finding& f = *o.found()[0];
    const auto at = [](const char* mark) { return "undefined.cu:" + std::to_string(line_of("undefined", mark)); };
    EXPECT_EQ(f.what,
              "thread 31 of block 0: the value of s[32] in shared memory, which no thread of the block has "
              "written, read at " +
                  at("tile read") + ", decides the branch at " + at("tile used"));
    EXPECT_EQ(f.array, "s");
    EXPECT_EQ(f.index, 32);
    EXPECT_EQ(f.space, "shared");
    EXPECT_EQ(f.count, 1u);
}

TEST_F(Words, NameShufflesAndVariables) {
    start("undefined_threads");
    const Outcome shuffled = run("shuffle_bad");
    ASSERT_EQ(shuffled.found().size(), 1u);
    EXPECT_EQ(shuffled.found()[0]->space, "shuffle");
    EXPECT_EQ(shuffled.found()[0]->count, 8u);
    const Outcome variable = run("one_path_bad");
    ASSERT_EQ(variable.found().size(), 1u);
    EXPECT_EQ(variable.found()[0]->space, "register");
    EXPECT_NE(run("accumulator_bad").to_host.find("a variable that has no value yet"), std::string::npos);
    EXPECT_NE(run("local_array_bad").to_host.find("a local array"), std::string::npos);
}

// ---- Between launches ----

struct Launches : Words {};

TEST_F(Launches, WhatOneStoresAnotherUses) {
    const Outcome first = run("host_bad");
    EXPECT_EQ(findings(first.launch), "");
    const DevicePtr middle = gpu.fresh<int>(kAll, "d_middle");
    EXPECT_EQ(findings(gpu.run("host_bad", {.block = {32, 1, 1}}, in, middle, kWritten)), "");
    const LaunchResult second = gpu.run("branch_bad", {.block = {32, 1, 1}}, middle, out, 0);
    ASSERT_EQ(second.findings.size(), 1u);
    EXPECT_EQ(second.findings[0].array, "d_in");
    EXPECT_EQ(second.findings[0].other_place.line, line_of("undefined", "host read"));
    EXPECT_EQ(second.findings[0].place.line, line_of("undefined", "branch used"));
}

TEST_F(Launches, CopiesKeepWhatIsKnown) {
    const DevicePtr middle = gpu.fresh<int>(kAll, "d_middle"), copy = gpu.fresh<int>(kAll, "d_copy");
    gpu.run("host_bad", {.block = {32, 1, 1}}, in, middle, kWritten);
    gpu.memory.copy(copy + 4, middle, 32 * 4);
    EXPECT_FALSE(gpu.memory.take_undefined(copy, 4));
    const auto undefined = gpu.memory.take_undefined(copy, kAll * 4);
    ASSERT_TRUE(undefined);
    EXPECT_EQ(undefined->at, copy + 4);
    EXPECT_EQ(undefined->words, 32u);
    EXPECT_FALSE(gpu.memory.take_undefined(copy, kAll * 4)) << "it is told once";
    gpu.memory.fill(middle, 0, 4, 32);
    EXPECT_FALSE(gpu.memory.take_undefined(middle, kAll * 4)) << "it was written over";
}

TEST_F(Launches, FramesThatAreUsedAgainForgetWhatWasUndefined) {
    start("undefined_threads");
    EXPECT_EQ(run("one_path_bad").found().size(), 1u);
    EXPECT_EQ(run("one_path_good").text(), "");
    EXPECT_EQ(gpu.run("one_path_good", {.grid = {20, 1, 1}, .block = {32, 1, 1}}, in, out, kWritten).findings.size(),
              0u);
}

// ---- Instructions: what becomes of one undefined operand ----

struct InstructionCase {
    const char* name;
    const char* code;       // from %r1, which is in[tid + n], to %r2; %r3 is 7, %rd9 and %p9 are free
    std::uint32_t defined;  // bits of %r2 that are defined: all others are undefined
};

struct Instructions : Undefined, testing::WithParamInterface<InstructionCase> {};

// Stores each bit of %r2 in turn: those that reach the host undefined are the undefined ones.
TEST_P(Instructions, PassOnTheBitsThatDependOnIt) {
    const std::string text = std::string(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn)
{
    .reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<20>; .reg .b64 %rd<10>; .reg .f32 %f<10>;
    ld.param.u64 %rd1, [pin];
    ld.param.u64 %rd2, [pout];
    ld.global.u32 %r1, [%rd1+128];
    mov.u32 %r3, 7;
    mov.u32 %r10, %tid.x;
)") + GetParam().code + R"(
    shr.u32 %r11, %r2, %r10;
    and.b32 %r11, %r11, 1;
    mul.wide.u32 %rd3, %r10, 4;
    add.s64 %rd2, %rd2, %rd3;
    st.global.u32 [%rd2], %r11;
    ret;
}
)";
    gpu.load_text(text);
    arrays();
    const LaunchResult r = gpu.run("k", {.block = {32, 1, 1}}, in, out, 0);
    ASSERT_EQ(r.status, Status::ok) << r.message;
    EXPECT_EQ(findings(r), "");
    std::uint32_t defined = 0;
    for (int bit = 0; bit < 32; ++bit)
        defined |= std::uint32_t{!gpu.memory.take_undefined(out + static_cast<DevicePtr>(bit) * 4, 4)} << bit;
    EXPECT_EQ(defined, GetParam().defined) << std::hex << defined;
}

INSTANTIATE_TEST_SUITE_P(
    All, Instructions,
    testing::Values(
        InstructionCase{"mov", "mov.u32 %r2, %r1;", 0}, InstructionCase{"and", "and.b32 %r2, %r1, 0xF0;", ~0xF0u},
        InstructionCase{"or", "or.b32 %r2, %r1, 0xF0;", 0xF0}, InstructionCase{"xor_", "xor.b32 %r2, %r1, 5;", 0},
        InstructionCase{"not_", "and.b32 %r4, %r1, 3; not.b32 %r2, %r4;", ~3u},
        InstructionCase{"shl", "shl.b32 %r2, %r1, 8;", 0xFF},
        InstructionCase{"shr_unsigned", "shr.u32 %r2, %r1, 8;", 0xFF00'0000},
        InstructionCase{"shr_signed", "and.b32 %r4, %r1, 0x80000000; shr.s32 %r2, %r4, 4;", 0x07FF'FFFF},
        InstructionCase{"shift_by_undefined", "shl.b32 %r2, %r3, %r1;", 0},
        InstructionCase{"funnel", "shf.l.wrap.b32 %r2, %r1, %r3, 8;", 0xFFFF'FF00},
        InstructionCase{"prmt", "prmt.b32 %r2, %r1, %r3, 0x4014;", 0xFF00'00FF},
        InstructionCase{"prmt_selector", "prmt.b32 %r2, %r3, %r3, %r1;", 0},
        InstructionCase{"bfi", "bfi.b32 %r2, %r1, %r3, 4, 8;", ~0xFF0u},
        InstructionCase{"bfe", "bfe.u32 %r2, %r1, 4, 8;", ~0xFFu},
        InstructionCase{"bfe_signed", "and.b32 %r4, %r1, 0xF; bfe.s32 %r2, %r4, 0, 4;", 0},
        InstructionCase{"lop3_and", "lop3.b32 %r2, %r1, 0xFF, %r3, 0x80;", ~7u},
        InstructionCase{"lop3_same", "lop3.b32 %r2, %r1, %r1, %r3, 0xAA;", ~0u},
        InstructionCase{"add", "and.b32 %r4, %r1, 0x100; add.s32 %r2, %r4, %r3;", 0xFF},
        InstructionCase{"sub", "and.b32 %r4, %r1, 0x100; sub.s32 %r2, %r3, %r4;", 0xFF},
        InstructionCase{"mul", "and.b32 %r4, %r1, 0x100; mul.lo.s32 %r2, %r4, %r3;", 0xFF},
        InstructionCase{"mul_zero", "mov.u32 %r4, 0; mul.lo.s32 %r2, %r1, %r4;", ~0u},
        InstructionCase{"mad_zero", "mov.u32 %r4, 0; mad.lo.s32 %r2, %r1, %r4, %r3;", ~0u},
        InstructionCase{"mul_hi", "mul.hi.u32 %r2, %r1, %r3;", 0}, InstructionCase{"div", "div.u32 %r2, %r3, %r1;", 0},
        InstructionCase{"min_", "min.u32 %r2, %r3, %r1;", 0}, InstructionCase{"popc", "popc.b32 %r2, %r1;", 0},
        InstructionCase{"brev", "and.b32 %r4, %r1, 1; brev.b32 %r2, %r4;", 0x7FFF'FFFF},
        InstructionCase{"selp_other", "setp.eq.u32 %p1, %r3, 8; selp.b32 %r2, %r1, %r3, %p1;", ~0u},
        InstructionCase{"selp_this", "setp.eq.u32 %p1, %r3, 7; selp.b32 %r2, %r1, %r3, %p1;", 0},
        InstructionCase{"selp_undefined", "setp.eq.u32 %p1, %r1, 7; selp.b32 %r2, 5, 4, %p1;", ~1u},
        InstructionCase{"selp_equal", "setp.eq.u32 %p1, %r1, 7; selp.b32 %r2, 5, 5, %p1;", ~0u},
        InstructionCase{"setp_known", "or.b32 %r4, %r1, 16; setp.lt.u32 %p1, %r4, 16; selp.b32 %r2, 1, 0, %p1;", ~0u},
        InstructionCase{"setp_signed", "and.b32 %r4, %r1, 15; setp.gt.s32 %p1, %r4, -1; selp.b32 %r2, 1, 0, %p1;", ~0u},
        InstructionCase{"setp_open", "and.b32 %r4, %r1, 15; setp.gt.s32 %p1, %r4, 8; selp.b32 %r2, 1, 0, %p1;", ~1u},
        InstructionCase{"setp_differs", "or.b32 %r4, %r1, 16; setp.eq.u32 %p1, %r4, 7; selp.b32 %r2, 1, 0, %p1;", ~0u},
        InstructionCase{"setp_or", "setp.eq.u32 %p2, %r3, 7; setp.lt.or.u32 %p1, %r1, 5, %p2; selp.b32 %r2, 1, 0, %p1;",
                        ~0u},
        InstructionCase{"setp_and",
                        "setp.eq.u32 %p2, %r3, 8; setp.lt.and.u32 %p1, %r1, 5, %p2; selp.b32 %r2, 1, 0, %p1;", ~0u},
        InstructionCase{"setp_both",
                        "setp.eq.u32 %p3, %r3, 8; setp.lt.and.u32 %p1|%p2, %r1, 5, %p3; selp.b32 %r2, 1, 0, %p2;", ~0u},
        InstructionCase{
            "pred_or",
            "setp.lt.u32 %p1, %r1, 5; setp.eq.u32 %p2, %r3, 7; or.pred %p3, %p1, %p2; selp.b32 %r2, 1, 0, %p3;", ~0u},
        InstructionCase{"pred_not", "setp.lt.u32 %p1, %r1, 5; not.pred %p3, %p1; selp.b32 %r2, 1, 0, %p3;", ~1u},
        InstructionCase{"guarded", "mov.u32 %r2, 0; setp.lt.u32 %p1, %r1, 5; @%p1 mov.u32 %r2, 1;", 0},
        InstructionCase{"guarded_known", "mov.u32 %r2, 0; setp.lt.u32 %p1, %r3, 5; @%p1 mov.u32 %r2, %r1;", ~0u},
        InstructionCase{"pack_low", "mov.b64 %rd4, {%r1, %r3}; cvt.u32.u64 %r2, %rd4;", 0},
        InstructionCase{"pack_high", "mov.b64 %rd4, {%r3, %r1}; cvt.u32.u64 %r2, %rd4;", ~0u},
        InstructionCase{"unpack", "mov.b64 %rd4, {%r3, %r1}; mov.b64 {%r4, %r2}, %rd4;", 0},
        InstructionCase{"halves_apart", "mov.b32 {%h1, %h2}, %r1; mov.u16 %h3, 5; mov.b32 %r2, {%h3, %h2};", 0xFFFF},
        InstructionCase{"widen", "cvt.u16.u32 %h1, %r1; cvt.u32.u16 %r2, %h1;", 0xFFFF'0000},
        InstructionCase{"widen_signed", "cvt.u16.u32 %h1, %r1; cvt.s32.s16 %r2, %h1;", 0},
        InstructionCase{"byte", "cvt.u16.u8 %h1, %r3; cvt.u32.u8 %r2, %r1;", 0xFFFF'FF00},
        InstructionCase{"carry", "add.cc.u32 %r4, %r1, %r3; addc.u32 %r2, %r3, %r3;", 0},
        InstructionCase{"float_", "cvt.rn.f32.u32 %f1, %r1; mov.b32 %r2, %f1;", 0},
        InstructionCase{"halves_add", "and.b32 %r4, %r1, 0xFFFF; add.f16x2 %r2, %r4, %r3;", 0xFFFF'0000},
        InstructionCase{"half_pair", "mov.b32 %f1, %r1; mov.b32 %f2, %r3; cvt.rn.f16x2.f32 %r2, %f1, %f2;", 0xFFFF},
        InstructionCase{"overwritten", "mov.u32 %r2, %r1; mov.u32 %r2, 3;", ~0u},
        InstructionCase{"never_written", "mov.u32 %r2, %r4;", 0},
        InstructionCase{"shuffled", "shfl.sync.idx.b32 %r2|%p1, %r1, 0, 31, -1;", 0},
        InstructionCase{"vote_any",
                        "setp.lt.u32 %p1, %r1, 5; setp.eq.u32 %p2, %r10, 3; or.pred %p1, %p1, %p2; vote.sync.any.pred "
                        "%p3, %p1, -1; selp.b32 %r2, 1, 0, %p3;",
                        ~0u},
        InstructionCase{"vote_all",
                        "setp.lt.u32 %p1, %r1, 5; vote.sync.all.pred %p3, %p1, -1; selp.b32 %r2, 1, 0, %p3;", ~1u},
        InstructionCase{"redux", "redux.sync.add.s32 %r2, %r1, -1;", 0}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace vgpu
