// Tensor cores: what fragments hold, how sums are cut, what is found. The differential test compares many more with a
// GPU.
#include <gtest/gtest.h>

#include <bit>

#include "exec_harness.h"

namespace vgpu {
namespace {

constexpr const char* kTensorHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

// A kernel of one warp: %a, %b, %c are its parameters, %d the same as %c; %ra0.. and %fa0.. are registers.
std::string kernel(const std::string& body) {
    return std::string(kTensorHead) +
           ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n.reg .b64 %a, %b, %c, %x;\n"
           ".reg .b32 %ra<8>, %rb<8>, %rc<8>, %rd<8>, %lane, %y, %stride;\n.reg .f32 %fc<8>, %fd<8>;\n.reg .pred %p;\n"
           ".reg .b16 %h;\n.shared .align 32 .b8 s[1024];\nld.param.u64 %a, [a];\nld.param.u64 %b, [b];\n"
           "ld.param.u64 %c, [c];\nmov.u32 %lane, %laneid;\n" +
           body + "\nret;\n}\n";
}
std::string list(const std::string& name, int count) {
    std::string out;
    for (int n = 0; n < count; ++n) out += (n == 0 ? "{" : ", ") + name + std::to_string(n);
    return out + "}";
}

constexpr const char* kLoadA = "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%ra0,%ra1,%ra2,%ra3,%ra4,%ra5,%ra6,%ra7}, ";
constexpr const char* kLoadB = "wmma.load.b.sync.aligned.row.m16n16k16.f16 {%rb0,%rb1,%rb2,%rb3,%rb4,%rb5,%rb6,%rb7}, ";
constexpr const char* kMultiply =
    "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%fd0,%fd1,%fd2,%fd3,%fd4,%fd5,%fd6,%fd7}, "
    "{%ra0,%ra1,%ra2,%ra3,%ra4,%ra5,%ra6,%ra7}, {%rb0,%rb1,%rb2,%rb3,%rb4,%rb5,%rb6,%rb7}, "
    "{%fc0,%fc1,%fc2,%fc3,%fc4,%fc5,%fc6,%fc7};\n";
constexpr const char* kStore =
    "wmma.store.d.sync.aligned.row.m16n16k16.f32 [%c], {%fd0,%fd1,%fd2,%fd3,%fd4,%fd5,%fd6,%fd7}, 16;\n";
std::string zeros() {
    std::string out;
    for (int n = 0; n < 8; ++n) out += "mov.f32 %fc" + std::to_string(n) + ", 0f00000000;\n";
    return out;
}

using Halves = std::vector<std::uint16_t>;

// A small integer as a half.
std::uint16_t half(int n) {
    if (n == 0) return 0;
    const auto magnitude = static_cast<unsigned>(std::abs(n));
    const int top = std::bit_width(magnitude) - 1;
    return static_cast<std::uint16_t>((n < 0 ? 0x8000 : 0) | (top + 15) << 10 | (magnitude << (10 - top) & 0x3FF));
}

LaunchResult run(const std::string& text, const Halves& a, const Halves& b, std::vector<float>& c, Shape shape = {}) {
    Gpu gpu;
    gpu.load_text(text, true);
    const DevicePtr pa = gpu.array(a, "a"), pb = gpu.array(b, "b"), pc = gpu.array(c, "c");
    const LaunchResult r = gpu.run("k", shape, pa, pb, pc);
    c = gpu.values<float>(pc, c.size());
    return r;
}

TEST(Tensor, ProductsOfAllShapesAndLayouts) {
    const struct { int m, n, k; } shapes[] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};
    for (const auto& s : shapes)
        for (const bool a_columns : {false, true})
            for (const bool b_columns : {false, true})
                for (const bool c_columns : {false, true}) {
                    const std::string shape =
                        "m" + std::to_string(s.m) + "n" + std::to_string(s.n) + "k" + std::to_string(s.k);
                    const auto layout = [](bool columns) {
                        return columns ? std::string("col.") : std::string("row.");
                    };
                    const int la = a_columns ? s.m : s.k, lb = b_columns ? s.k : s.n, lc = c_columns ? s.m : s.n;
                    const std::string text =
                        kernel(zeros() + "wmma.load.a.sync.aligned." + layout(a_columns) + shape + ".f16 " +
                               list("%ra", 8) + ", [%a], " + std::to_string(la) + ";\nwmma.load.b.sync.aligned." +
                               layout(b_columns) + shape + ".f16 " + list("%rb", 8) + ", [%b], " + std::to_string(lb) +
                               ";\nwmma.mma.sync.aligned." + layout(a_columns) + layout(b_columns) + shape +
                               ".f32.f32 " + list("%fd", 8) + ", " + list("%ra", 8) + ", " + list("%rb", 8) + ", " +
                               list("%fc", 8) + ";\nwmma.store.d.sync.aligned." + layout(c_columns) + shape +
                               ".f32 [%c], " + list("%fd", 8) + ", " + std::to_string(lc) + ";");
                    Halves a, b;
                    std::vector<float> c(256, -1);
                    for (int n = 0; n < s.m * s.k; ++n) a.push_back(half(n * 7 % 23 - 11));
                    for (int n = 0; n < s.k * s.n; ++n) b.push_back(half(n * 5 % 19 - 9));
                    const LaunchResult r = run(text, a, b, c);
                    ASSERT_EQ(r.status, Status::ok) << r.message;
                    EXPECT_EQ(findings(r), "");
                    EXPECT_TRUE(r.is_order_free);
                    for (int m = 0; m < s.m; ++m)
                        for (int n = 0; n < s.n; ++n) {
                            int sum = 0;
                            for (int k = 0; k < s.k; ++k) {
                                const int in_a = a_columns ? k * la + m : m * la + k;
                                const int in_b = b_columns ? n * lb + k : k * lb + n;
                                sum += (in_a * 7 % 23 - 11) * (in_b * 5 % 19 - 9);
                            }
                            const int at = c_columns ? n * lc + m : m * lc + n;
                            ASSERT_EQ(c[static_cast<std::size_t>(at)], static_cast<float>(sum))
                                << shape << a_columns << b_columns << c_columns << " " << m << " " << n;
                        }
                }
}

// As PTX shows them for mma.sync; wmma's of 16 x 16 x 16 are two of these, on an H100.
TEST(Tensor, AFragmentHoldsWhatPtxSays) {
    std::vector<float> c(256, 0);
    Halves a;
    for (int n = 0; n < 256; ++n) a.push_back(static_cast<std::uint16_t>(n));
    for (const bool copies : {false, true}) {
        std::string store =
            kernel(std::string(kLoadA) + "[%a], 16;\nmul.wide.u32 %x, %lane, 16;\nadd.u64 %x, %x, %c;\n" +
                   "st.global.v4.b32 [%x], " + (copies ? "{%ra4,%ra5,%ra6,%ra7};" : "{%ra0,%ra1,%ra2,%ra3};"));
        const LaunchResult r = run(store, a, {}, c);
        ASSERT_EQ(r.status, Status::ok) << r.message;
        for (unsigned lane = 0; lane < 32; ++lane)
            for (unsigned k = 0; k < 4; ++k) {
                const unsigned row = lane / 4 + k % 2 * 8, column = lane % 4 * 2 + k / 2 * 8, at = 16 * row + column;
                EXPECT_EQ(std::bit_cast<std::uint32_t>(c[lane * 4 + k]), at | (at + 1) << 16) << lane << " " << k;
            }
    }
}

// d = c + a * b, of one product: the rest is zero.
float sum_of(float c, std::uint16_t a, std::uint16_t b, int products = 1) {
    Halves left(256, 0), right(256, 0);
    for (int k = 0; k < products; ++k)
        left[static_cast<std::size_t>(k)] = a, right[static_cast<std::size_t>(16 * k)] = b;
    std::vector<float> out(256, c);
    const LaunchResult r = run(kernel("wmma.load.c.sync.aligned.row.m16n16k16.f32 " + list("%fc", 8) + ", [%c], 16;\n" +
                                      kLoadA + "[%a], 16;\n" + kLoadB + "[%b], 16;\n" + kMultiply + kStore),
                               left, right, out);
    EXPECT_EQ(r.status, Status::ok) << r.message;
    return out[0];
}

TEST(Tensor, SumsAreCutTowardsZero) {
    constexpr std::uint16_t kOne = 0x3C00, kMinusOne = 0xBC00, kTiny = 0x0C00 /* 2^-12 */, kLess = 0x0800 /* 2^-13 */;
    EXPECT_EQ(sum_of(1.0f, kTiny, kTiny), 1.0f) << "2^-24 is half a unit in the last place";
    EXPECT_EQ(sum_of(1.0f, kTiny, kTiny, 3), 1.0f + 0x1p-23f) << "three halves: they are not cut one by one";
    EXPECT_EQ(sum_of(1.0f, kTiny, static_cast<std::uint16_t>(kLess | 0x8000)), 1.0f - 0x1p-24f) << "1 - 2^-25";
    EXPECT_EQ(sum_of(1.0f, kLess, static_cast<std::uint16_t>(kLess | 0x8000), 16), 1.0f)
        << "16 times 2^-26: too small each";
    EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_of(1.0f, kOne, kMinusOne)), 0u) << "a zero has no sign";
    EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_of(-0.0f, 0x8000, kOne)), 0u);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_of(0.0f, 0x7C00, 0)), 0x7FFF'FFFFu) << "infinity times zero";
    EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_of(0.0f, 0xFC00, kOne)), 0xFF80'0000u);
    EXPECT_EQ(sum_of(0.0f, 1, 1), 0x1p-48f) << "subnormal halves count";
}

// Each lane writes 16 bytes of each of two matrices of halves in shared memory.
const std::string kFill =
    "mov.u32 %y, s;\nmad.lo.u32 %y, %lane, 16, %y;\nmov.u32 %ra0, 0;\n"
    "st.shared.v4.u32 [%y], {%ra0,%ra0,%ra0,%ra0};\nst.shared.v4.u32 [%y+512], {%ra0,%ra0,%ra0,%ra0};\n";
constexpr const char* kSharedA =
    "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%ra0,%ra1,%ra2,%ra3,%ra4,%ra5,%ra6,%ra7}, ";

std::string found_in(const std::string& body, Shape shape = {}, LaunchResult* result = nullptr) {
    std::vector<float> c(256, 0);
    const LaunchResult r = run(kernel(body), Halves(256, 0), Halves(256, 0), c, shape);
    if (result != nullptr) *result = r;
    return findings(r);
}

TEST(Tensor, PlacesAreChecked) {
    const std::string ready = kFill + "bar.warp.sync -1;\n";
    EXPECT_EQ(found_in(ready + kSharedA + "[s], 16;"), "");
    EXPECT_EQ(found_in(ready + kSharedA + "[s], 24;"), "") << "lines may be padded";
    EXPECT_NE(found_in(ready + kSharedA + "[s], 40;").find("out_of_bounds"), std::string::npos);
    EXPECT_NE(found_in(ready + kSharedA + "[s+768], 16;").find("out_of_bounds"), std::string::npos);
    EXPECT_NE(found_in(ready + kSharedA + "[s], -16;").find("out_of_bounds"), std::string::npos);
    EXPECT_NE(found_in(std::string(kLoadA) + "[%a], 24;").find("out_of_bounds"), std::string::npos);
    EXPECT_NE(found_in(std::string(kLoadA) + "[%a+32], 16;").find("out_of_bounds"), std::string::npos);
    EXPECT_NE(
        found_in(zeros() + "mov.u32 %stride, 2147483648;\nwmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%c], " +
                 list("%fc", 8) + ", %stride;")
            .find("out_of_bounds"),
        std::string::npos);
    EXPECT_NE(found_in(std::string(kLoadA) + "[%a+16], 16;").find("misaligned"), std::string::npos);
    EXPECT_NE(found_in(std::string(kLoadA) + "[%a], 17;").find("misaligned"), std::string::npos);
    EXPECT_NE(found_in("mul.wide.u32 %x, %lane, 32;\nadd.u64 %a, %a, %x;\n" + std::string(kLoadA) + "[%a], 16;")
                  .find("different addresses"),
              std::string::npos);
    EXPECT_EQ(found_in(std::string(kLoadA) + "[%a];"), "") << "without a stride, lines follow each other";
}

TEST(Tensor, RacesHaveTheLanesThatAccess) {
    const std::string raced = found_in(kFill + kSharedA + "[s], 16;");
    EXPECT_NE(raced.find("race"), std::string::npos) << "no barrier between the writes and the load: " << raced;
    // In shared memory lane 8j + r reads row r of tile j, as ldmatrix does: what lane 1 wrote is half of row 0.
    EXPECT_NE(found_in("mov.u32 %y, s;\nsetp.eq.u32 %p, %lane, 1;\n" + kFill +
                       "bar.warp.sync -1;\n@%p st.shared.u32 [%y], %lane;\n" + kSharedA + "[s], 16;")
                  .find("race"),
              std::string::npos);
    EXPECT_NE(found_in(kFill + "bar.warp.sync -1;\n" + kSharedA + "[s], 16;\nst.shared.u32 [%y], %lane;").find("race"),
              std::string::npos)
        << "written while other lanes may still read";
}

TEST(Tensor, AllLanesHaveToCome) {
    LaunchResult r;
    const std::string left =
        found_in("setp.eq.u32 %p, %lane, 5;\n@%p ret;\n" + std::string(kLoadA) + "[%a], 16;", {}, &r);
    EXPECT_NE(left.find("invalid_access"), std::string::npos) << left;
    EXPECT_NE(left.find("31 lanes"), std::string::npos) << left;
    EXPECT_NE(left.find("load_matrix_sync()"), std::string::npos) << left;
    EXPECT_NE(found_in(std::string(kLoadA) + "[%a], 16;", {.block = {16, 1, 1}}).find("16 lanes"), std::string::npos);
    // Two places are not one, even if both have the same operation.
    found_in("setp.lt.u32 %p, %lane, 7;\n@%p bra A;\n" + std::string(kLoadA) + "[%a], 16;\nbra E;\nA:\n" + kLoadA +
                 "[%a], 16;\nE:",
             {}, &r);
    EXPECT_NE(r.status, Status::ok);
    EXPECT_NE(findings(r).find("deadlock"), std::string::npos) << findings(r);
    // Lanes that have taken different ways wait for each other.
    EXPECT_EQ(found_in("setp.lt.u32 %p, %lane, 7;\n@%p bra A;\nadd.u32 %y, %lane, 1;\nA:\n" + std::string(kLoadA) +
                           "[%a], 16;",
                       {}, &r),
              "");
    EXPECT_EQ(r.status, Status::ok) << r.message;
}

TEST(Tensor, UndefinedElementsStayInTheirRow) {
    // Row 3 of a is not written; the product is stored, and one element of it decides something.
    const std::string fill =
        "mov.u32 %y, s;\nmad.lo.u32 %y, %lane, 16, %y;\nmov.u32 %ra0, 0;\nsetp.ne.u32 %p, %lane, 6;\n"
        "@%p st.shared.v4.u32 [%y], {%ra0,%ra0,%ra0,%ra0};\nbar.warp.sync -1;\n";
    const auto used = [&](int row) {
        return found_in(zeros() + fill + kSharedA + "[s], 16;\n" + kLoadB + "[%b], 16;\n" + kMultiply +
                        "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [s], " + list("%fd", 8) +
                        ", 16;\nbar.warp.sync -1;\nld.shared.u32 %y, [s+" + std::to_string(64 * row + 20) +
                        "];\nsetp.eq.u32 %p, %y, 0;\n@%p st.global.u32 [%c], %lane;")
            .find("uninitialized");
    };
    EXPECT_NE(used(3), std::string::npos);
    EXPECT_EQ(used(2), std::string::npos);
    EXPECT_EQ(used(4), std::string::npos);
    // Accumulators that nobody has set.
    EXPECT_NE(found_in(std::string(kLoadA) + "[%a], 16;\n" + kLoadB + "[%b], 16;\n" + kMultiply +
                       "setp.gt.f32 %p, %fd0, 0f00000000;\n@%p st.global.u32 [%c], %lane;")
                  .find("uninitialized"),
              std::string::npos);
    EXPECT_EQ(found_in(zeros() + kLoadA + "[%a], 16;\n" + kLoadB + "[%b], 16;\n" + kMultiply +
                       "setp.gt.f32 %p, %fd0, 0f00000000;\n@%p st.global.u32 [%c], %lane;"),
              "");
}

Counters counted_of(const std::string& body) {
    Gpu gpu;
    gpu.load_text(kernel(body), true);
    const DevicePtr a = gpu.array(Halves(512, 0)), c = gpu.array(std::vector<float>(256, 0));
    const LaunchResult r = gpu.run("k", {}, a, a, c);
    EXPECT_EQ(r.status, Status::ok) << r.message;
    return r.total;
}

// An H100's instructions: four loads of a pair of halves, eight rows of 16 bytes each; in shared memory one for all.
TEST(Tensor, AccessesAreCountedAsAGpuMakesThem) {
    const Counters global = counted_of(std::string(kLoadA) + "[%a], 16;");
    EXPECT_EQ(global.global_loads, 4u);
    EXPECT_EQ(global.load_sectors, 32u);
    EXPECT_EQ(global.ideal_load_sectors, 16u);
    const Counters stored =
        counted_of(zeros() + "wmma.store.d.sync.aligned.row.m16n16k16.f32 [%c], " + list("%fc", 8) + ", 16;");
    EXPECT_EQ(stored.global_stores, 4u);
    EXPECT_EQ(stored.store_sectors, 32u);
    const std::string ready = "mov.u32 %y, s;\nbar.warp.sync -1;\n";
    const Counters before = counted_of(ready), shared = counted_of(ready + kSharedA + "[s], 16;");
    EXPECT_EQ(shared.shared_loads - before.shared_loads, 1u);
    EXPECT_EQ(shared.shared_wavefronts - before.shared_wavefronts, 8u) << "rows of 32 bytes: four rows have all banks";
    const Counters padded = counted_of(ready + kSharedA + "[s], 24;");
    EXPECT_EQ(padded.shared_wavefronts - before.shared_wavefronts, 4u) << "rows of 48 bytes: no conflicts";
    EXPECT_EQ(padded.bank_conflicts, 0u);
}

}  // namespace
}  // namespace vgpu
