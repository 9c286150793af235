// 8-bit floats, 8x8 matrices, accesses of 128 bits and cache hints, against values that are worked out here.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "exec_harness.h"

namespace vgpu {
namespace {

constexpr const char* kNewHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

// What a code of an 8-bit float means.
double meaning(int code, bool is_e5m2) {
    const int sign = code >> 7, fraction_bits = is_e5m2 ? 2 : 3, bias = is_e5m2 ? 15 : 7;
    const int exponent = (code & 0x7F) >> fraction_bits, fraction = code & ((1 << fraction_bits) - 1);
    const double one = 1 << fraction_bits;
    if (is_e5m2 && exponent == 31) return fraction != 0 ? std::nan("") : sign != 0 ? -HUGE_VAL : HUGE_VAL;
    if (!is_e5m2 && (code & 0x7F) == 0x7F) return std::nan("");
    const double value =
        exponent == 0 ? std::ldexp(fraction / one, 1 - bias) : std::ldexp(1 + fraction / one, exponent - bias);
    return sign != 0 ? -value : value;
}

// The nearest finite number; of two that are as near, the one with an even code.
int nearest(float x, bool is_e5m2, bool relu) {
    if (std::isnan(x)) return 0x7F;
    if (relu && x <= 0) return 0;
    int best = 0;
    double distance = HUGE_VAL;
    const double size = std::min<double>(std::fabs(x), is_e5m2 ? 57344 : 448);
    for (int code = 0; code < 0x7F; ++code) {
        const double value = meaning(code, is_e5m2);
        if (!std::isfinite(value)) continue;
        const double d = std::fabs(value - size);
        if (d < distance || (d == distance && code % 2 == 0)) best = code, distance = d;
    }
    return best | (std::signbit(x) ? 0x80 : 0);
}

std::vector<float> floats() {
    std::vector<float> all = {
        0.0f,           -0.0f,    448,      449,        464,       465,        480,
        -1000,          57344,    61440,    65536,      HUGE_VALF, -HUGE_VALF, std::nanf(""),
        -std::nanf(""), 0x1p-10f, 0x1p-17f, 0x1.8p-10f, 0x1p-9f,   1e-30f,     std::numeric_limits<float>::max()};
    for (int e = -20; e <= 17; ++e)
        for (int m = 0; m < 64; ++m) all.push_back((m % 3 == 1 ? -1.0f : 1.0f) * std::ldexp(1 + m / 64.0f, e));
    all.resize((all.size() + 31) / 32 * 32, 1.0f);
    return all;
}

TEST(Wide, EightBitFloatsAreTheNearest) {
    for (const bool is_e5m2 : {false, true})
        for (const bool relu : {false, true}) {
            Gpu gpu;
            const std::string cvt =
                std::string("cvt.rn.satfinite") + (relu ? ".relu" : "") + (is_e5m2 ? ".e5m2x2" : ".e4m3x2");
            gpu.load_text(
                std::string(kNewHead) +
                    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %p<3>;\n.reg .b32 %r<3>;\n"
                    ".reg .f32 %f<3>;\n.reg .b16 %h;\nld.param.u64 %p0, [in];\nld.param.u64 %p1, [out];\n"
                    "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r0, %r0, 32, %r1;\n"
                    "mul.wide.u32 %p2, %r0, 4;\nadd.u64 %p0, %p0, %p2;\nadd.u64 %p1, %p1, %p2;\n"
                    "ld.global.f32 %f0, [%p0];\nneg.f32 %f1, %f0;\n" +
                    cvt + ".f32 %h, %f1, %f0;\ncvt.u32.u16 %r2, %h;\nst.global.u32 [%p1], %r2;\nret;\n}\n",
                true);
            const std::vector<float> in = floats();
            const DevicePtr from = gpu.array(in), to = gpu.fresh<std::uint32_t>(in.size());
            const LaunchResult r = gpu.run("k", {.grid = {static_cast<std::uint32_t>(in.size() / 32), 1, 1}}, from, to);
            ASSERT_EQ(r.status, Status::ok) << r.message;
            const auto out = gpu.values<std::uint32_t>(to, in.size());
            for (std::size_t n = 0; n < in.size(); ++n)
                EXPECT_EQ(out[n],
                          static_cast<unsigned>(nearest(-in[n], is_e5m2, relu) << 8 | nearest(in[n], is_e5m2, relu)))
                    << cvt << " of " << in[n];
        }
}

TEST(Wide, EightBitFloatsBecomeTheSameNumber) {
    for (const bool is_e5m2 : {false, true}) {
        Gpu gpu;
        gpu.load_text(
            std::string(kNewHead) +
                ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %p<2>;\n.reg .b32 %r<3>;\n.reg .b16 %h<3>;\n"
                ".reg .f32 %f;\nld.param.u64 %p0, [out];\nmov.u32 %r0, %tid.x;\ncvt.u16.u32 %h0, %r0;\n"
                "cvt.rn.f16x2." +
                (is_e5m2 ? "e5m2x2" : "e4m3x2") +
                " %r1, %h0;\nmov.b32 {%h1, %h2}, %r1;\n"
                "cvt.f32.f16 %f, %h1;\nmul.wide.u32 %p1, %r0, 4;\nadd.u64 %p0, %p0, %p1;\n"
                "st.global.f32 [%p0], %f;\nret;\n}\n",
            true);
        const DevicePtr to = gpu.fresh<float>(256);
        ASSERT_EQ(gpu.run("k", {.block = {256, 1, 1}}, to).status, Status::ok);
        const auto out = gpu.values<float>(to, 256);
        for (int code = 0; code < 256; ++code) {
            const double want = meaning(code, is_e5m2), got = out[static_cast<std::size_t>(code)];
            if (std::isnan(want)) {
                EXPECT_TRUE(std::isnan(got)) << code;
            } else {
                EXPECT_EQ(got, want) << code;
                EXPECT_EQ(std::signbit(got), std::signbit(want)) << code;
            }
        }
    }
}

// A kernel of one warp: `body` has %row, the address of a row of 16 bytes for each lane in shared memory, whose element
// c in row r holds 100 r + c; results go to %r0..%r3.
std::vector<std::uint32_t> matrices(const std::string& body, LaunchResult& r, bool writes_rows = true) {
    Gpu gpu;
    std::string fill;
    for (int c = 0; c < 8 && writes_rows; ++c)
        fill += "mad.lo.u32 %v, %lane, 100, " + std::to_string(c) + ";\nst.shared.u16 [%row+" + std::to_string(2 * c) +
                "], %v;\n";
    gpu.load_text(std::string(kNewHead) +
                      ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %p<2>;\n.reg .b32 %r<4>, %lane, %row, %v;\n"
                      ".reg .pred %q;\n.shared .align 16 .b8 tile[512];\nld.param.u64 %p0, [out];\n"
                      "mov.u32 %lane, %laneid;\nmov.u32 %row, tile;\nmad.lo.u32 %row, %lane, 16, %row;\n"
                      "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n" +
                      fill + body +
                      "\nmul.wide.u32 %p1, %lane, 16;\nadd.u64 %p0, %p0, %p1;\n"
                      "st.global.v4.u32 [%p0], {%r0, %r1, %r2, %r3};\nret;\n}\n",
                  true);
    const DevicePtr out = gpu.fresh<std::uint32_t>(128);
    r = gpu.run("k", {}, out);
    return gpu.values<std::uint32_t>(out, 128);
}

TEST(Wide, MatricesAreDealtOutToTheLanes) {
    for (const int count : {1, 2, 4})
        for (const bool trans : {false, true}) {
            const std::string list = count == 1 ? "{%r0}" : count == 2 ? "{%r0, %r1}" : "{%r0, %r1, %r2, %r3}";
            LaunchResult r;
            const auto out = matrices("bar.warp.sync -1;\nldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                                          (trans ? ".trans" : "") + ".shared.b16 " + list + ", [%row];",
                                      r);
            ASSERT_EQ(r.status, Status::ok) << r.message;
            EXPECT_EQ(findings(r), "");
            for (unsigned lane = 0; lane < 32; ++lane)
                for (unsigned j = 0; j < 4; ++j) {
                    std::uint32_t want = 0;
                    for (unsigned k = 0; k < 2 && j < static_cast<unsigned>(count); ++k) {
                        const unsigned a = lane / 4, b = lane % 4 * 2 + k;
                        want |= (100 * (8 * j + (trans ? b : a)) + (trans ? a : b)) << (16 * k);
                    }
                    EXPECT_EQ(out[lane * 4 + j], want) << "x" << count << " lane " << lane << " matrix " << j;
                }
        }
}

TEST(Wide, MatricesAreStoredAsTheyAreLoaded) {
    for (const char* trans : {"", ".trans"}) {
        LaunchResult r;
        // Loaded into other registers, stored in other rows, read row by row.
        const auto out = matrices(std::string("bar.warp.sync -1;\nldmatrix.sync.aligned.m8n8.x4") + trans +
                                      ".shared.b16 {%r0, %r1, %r2, %r3}, [%row];\nbar.warp.sync -1;\n"
                                      "stmatrix.sync.aligned.m8n8.x4" +
                                      trans +
                                      ".shared.b16 [%row], {%r3, %r2, %r1, %r0};\nbar.warp.sync -1;\n"
                                      "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%row];",
                                  r);
        ASSERT_EQ(r.status, Status::ok) << r.message;
        EXPECT_EQ(findings(r), "");
        for (unsigned lane = 0; lane < 32; ++lane)
            for (unsigned c = 0; c < 8; ++c) {
                const unsigned row = (3 - lane / 8) * 8 + lane % 8;
                EXPECT_EQ(out[lane * 4 + c / 2] >> (c % 2 * 16) & 0xFFFF, 100 * row + c) << lane << " " << c;
            }
    }
}

TEST(Wide, MovmatrixTransposes) {
    LaunchResult r;
    const auto out = matrices(
        "mul.lo.u32 %r1, %lane, 0x20002;\nadd.u32 %r1, %r1, 0x10000;\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;",
        r);
    ASSERT_EQ(r.status, Status::ok) << r.message;
    // Element (row, column) holds 8 row + column.
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned row = lane / 4, column = lane % 4 * 2;
        EXPECT_EQ(out[lane * 4], (8 * column + row) | (8 * (column + 1) + row) << 16) << lane;
    }
}

TEST(Wide, MatrixFindings) {
    LaunchResult r;
    matrices("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%row];", r);
    EXPECT_EQ(r.status, Status::ok);
    EXPECT_EQ(findings(r), "") << "each lane gives the address of the row that it has written";
    matrices("xor.b32 %row, %row, 16;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%row];", r);
    EXPECT_NE(findings(r).find("race"), std::string::npos) << "no barrier between the writes and the load";
    matrices("bar.warp.sync -1;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%row+16];", r);
    EXPECT_NE(findings(r).find("out_of_bounds"), std::string::npos) << findings(r);
    matrices("bar.warp.sync -1;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%row+8];", r);
    EXPECT_NE(findings(r).find("misaligned"), std::string::npos) << findings(r);
    const std::string decides = "setp.eq.u32 %q, %r0, 0;\n@%q st.shared.u32 [%row], %lane;";
    matrices("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];\n" + decides, r, false);
    EXPECT_NE(findings(r).find("uninitialized"), std::string::npos) << findings(r);
    matrices("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];\nmov.u32 %r0, 1;\n" + decides, r, false);
    EXPECT_EQ(findings(r).find("uninitialized"), std::string::npos) << findings(r);
    // Lanes that arrive by different ways take part together.
    matrices(
        "bar.warp.sync -1;\nsetp.lt.u32 %q, %lane, 7;\n@%q bra A;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, "
        "[%row];\nbra E;\nA:\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];\nE:",
        r);
    EXPECT_EQ(r.status, Status::ok) << r.message;
}

TEST(Wide, AccessesOf128Bits) {
    Gpu gpu;
    gpu.load_text(std::string(kNewHead) +
                      ".visible .entry k(.param .u64 data)\n{\n.reg .b64 %p, %a, %b, %policy;\n.reg .b128 %q<4>;\n"
                      ".reg .b32 %r<4>;\n.shared .align 16 .b8 s[16];\nld.param.u64 %p, [data];\n"
                      "createpolicy.fractional.L2::evict_last.b64 %policy, 0f3F800000;\nprefetch.global.L2 [%p];\n"
                      "ld.global.L2::cache_hint.b128 %q0, [%p], %policy;\nst.shared.b128 [s], %q0;\n"
                      "ld.volatile.shared.b128 %q1, [s];\nmov.b128 {%a, %b}, %q1;\nmov.b128 %q2, {%b, %a};\n"
                      "st.global.b128 [%p+16], %q2;\n"
                      "atom.global.exch.b128 %q3, [%p+32], %q0;\nst.global.b128 [%p+48], %q3;\n"
                      "atom.global.cas.b128 %q3, [%p+32], %q0, %q2;\nst.global.b128 [%p+64], %q3;\n"
                      "atom.global.cas.b128 %q3, [%p+32], %q0, %q0;\nst.global.b128 [%p+80], %q3;\n"
                      "mov.b128 {%r0, %r1, %r2, %r3}, %q0;\nmov.b128 %q1, {%r3, %r2, %r1, %r0};\n"
                      "st.global.b128 [%p+96], %q1;\nret;\n}\n",
                  true);
    using Pair = std::vector<std::uint64_t>;
    Pair data(14, 0);
    const std::uint64_t a = 0x0123'4567'89AB'CDEF, b = 0xFEDC'BA98'7654'3210;
    data[0] = a, data[1] = b, data[4] = 7, data[5] = 8;
    const DevicePtr at = gpu.array(data);
    const LaunchResult r = gpu.run("k", {.block = {1, 1, 1}}, at);
    ASSERT_EQ(r.status, Status::ok) << r.message;
    EXPECT_EQ(findings(r), "");
    const auto swapped = [](std::uint64_t x) { return x << 32 | x >> 32; };
    EXPECT_EQ(gpu.values<std::uint64_t>(at, 14), (Pair{a, b, b, a, b, a, 7, 8, a, b, b, a, swapped(b), swapped(a)}));
}

TEST(Wide, UndefinedHalvesOf128Bits) {
    const auto with = [](const std::string& use) {
        Gpu gpu;
        gpu.load_text(std::string(kNewHead) +
                          ".visible .entry k(.param .u64 data)\n{\n.reg .b64 %p, %a, %b;\n.reg .b128 %q;\n"
                          ".reg .pred %c;\n.shared .align 16 .b8 s[16];\nld.param.u64 %p, [data];\nmov.u64 %a, 1;\n"
                          "st.shared.u64 [s], %a;\nld.shared.b128 %q, [s];\nmov.b128 {%a, %b}, %q;\n"
                          "setp.eq.u64 %c, " +
                          use + ", 0;\n@%c st.global.u64 [%p], %a;\nret;\n}\n",
                      true);
        return findings(gpu.run("k", {.block = {1, 1, 1}}, gpu.fresh<std::uint64_t>(1)));
    };
    EXPECT_EQ(with("%a"), "");
    EXPECT_NE(with("%b").find("uninitialized"), std::string::npos);
}

}  // namespace
}  // namespace vgpu
