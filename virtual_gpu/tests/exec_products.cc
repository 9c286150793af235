// Products and sums without a rounding mode: rounded as in the machine code that ptxas makes of them.
#include <gtest/gtest.h>

#include <cmath>

#include "exec_harness.h"

namespace vgpu {
namespace {

// 1 + 2^-27 (2^-12 in single precision) squared needs more bits than there are.
template <class T>
struct Numbers {
    T a, b, c, d;
};
constexpr Numbers<double> kDouble{1 + 0x1p-27, 1 - 0x1p-28, 1, 1 + 0x1p-29};
constexpr Numbers<float> kSingle{1 + 0x1p-12f, 1 - 0x1p-13f, 1, 1 + 0x1p-14f};

template <class T>
T result(const std::string& body, const Numbers<T>& n, const std::string& target = "sm_80") {
    const std::string type = sizeof(T) == 8 ? ".f64" : ".f32";
    const auto at = [](int k) { return "[%p+" + std::to_string(k * static_cast<int>(sizeof(T))) + "]"; };
    std::string text = ".version 8.0\n.target " + target +
                       "\n.address_size 64\n.visible .entry k(.param .u64 in) {\n.reg .b64 %p;\n"
                       ".reg .pred %q;\n.reg " +
                       type +
                       " %a, %b, %c, %d, %m, %x, %y, %r;\n"
                       "ld.param.u64 %p, [in];\n";
    const char* names[] = {"%a", "%b", "%c", "%d"};
    for (int k = 0; k < 4; ++k) text += "ld.global" + type + " " + names[k] + ", " + at(k) + ";\n";
    for (char ch : body) text += ch == 'T' ? type.substr(1) : std::string(1, ch);
    text += "\nst.global" + type + " " + at(4) + ", %r;\nret;\n}\n";
    Gpu gpu;
    gpu.load_text(text);
    const DevicePtr in = gpu.array(std::vector<T>{n.a, n.b, n.c, n.d, 0, 0});
    const LaunchResult r = gpu.run("k", {.block = {1, 1, 1}}, in);
    EXPECT_EQ(r.status, Status::ok) << r.message;
    return gpu.values<T>(in, 5)[4];
}

template <class T>
void products(const Numbers<T>& n) {
    const auto [a, b, c, d] = n;
    const volatile T ab = a * b, cd = c * d;
    ASSERT_NE(std::fma(a, b, -c), ab - c);  // else the test would show nothing
    // Rounded once.
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; add.T %r, %m, %c;", n), std::fma(a, b, c));
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; sub.T %r, %c, %m;", n), std::fma(-a, b, c));
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; sub.T %r, %m, %c;", n), std::fma(a, b, -c));
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; sub.T %x, %m, %c; sub.T %y, %d, %m; add.T %r, %x, %y;", n),
              std::fma(a, b, -c) + std::fma(-a, b, d));
    EXPECT_EQ(result<T>("setp.gt.T %q, %a, %b; mul.T %m, %a, %b; mov.T %r, %d; @%q sub.T %r, %m, %c;", n),
              std::fma(a, b, -c));
    // Through copies and negations.
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; neg.T %x, %m; add.T %r, %x, %c;", n), std::fma(-a, b, c));
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; mov.T %x, %m; sub.T %r, %x, %c;", n), std::fma(a, b, -c));
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; neg.T %x, %m; sub.T %r, %x, %c;", n), std::fma(-a, b, -c));
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; neg.T %x, %m; sub.T %r, %c, %x;", n), std::fma(a, b, c));
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; neg.T %x, %m; add.T %y, %x, %c; add.T %r, %m, %y;", n),
              std::fma(a, b, std::fma(-a, b, c)));
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; neg.T %x, %m; add.T %r, %x, %c; st.global.T [%p], %x;", n), c - ab);
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; abs.T %x, %m; sub.T %r, %x, %c;", n), ab - c);
    // Of two products, the first.
    EXPECT_EQ(result<T>("mul.T %x, %c, %d; mul.T %m, %a, %b; sub.T %r, %m, %x;", n), std::fma(a, b, -cd));
    EXPECT_EQ(result<T>("mul.T %x, %a, %d; mul.T %m, %a, %b; sub.T %r, %x, %m;", n), std::fma(a, d, -ab));
    // Rounded twice: a rounding mode, another use, another block, the sum of a product with itself.
    EXPECT_EQ(result<T>("mul.rn.T %m, %a, %b; sub.T %r, %m, %c;", n), ab - c);
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; sub.rn.T %r, %m, %c;", n), ab - c);
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; sub.T %r, %m, %c; st.global.T [%p], %m;", n), ab - c);
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; setp.lt.T %q, %a, %b; mov.T %r, %d; @%q bra L; sub.T %r, %m, %c; L:", n),
              ab - c);
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; add.T %r, %m, %m; sub.T %r, %r, %c;", n), ab + ab - c);
    EXPECT_EQ(result<T>("mul.T %m, %a, %b; sub.T %r, %m, %c;", n, "sm_80, debug"), ab - c);
}

TEST(Products, AreFusedInSinglePrecision) { products(kSingle); }
TEST(Products, AreFusedInDoublePrecision) { products(kDouble); }

// Each of 20,000 products has its sum far behind it, and one has 20,000 sums.
TEST(Products, AreFoundInLargeBlocks) {
    constexpr int kMany = 20'000;
    std::string body = ".reg .f32 %n<20000>; mov.f32 %r, %c;\n";
    for (int k = 0; k < kMany; ++k) body += "mul.f32 %n" + std::to_string(k) + ", %a, %b;\n";
    for (int k = 0; k < kMany; ++k) body += "sub.f32 %r, %r, %n" + std::to_string(k) + ";\n";
    for (int k = 0; k < kMany; ++k) body += "sub.f32 %x, %n0, %d;\n";
    body += "add.f32 %r, %r, %x;";
    const auto [a, b, c, d] = kSingle;
    float expected = c;
    for (int k = 0; k < kMany; ++k) expected = std::fma(-a, b, expected);
    EXPECT_EQ(result<float>(body, kSingle), expected + std::fma(a, b, -d));
}

}  // namespace
}  // namespace vgpu
