// Functions of tens of thousands of labels: what is found out about a function must not take the square of them.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "virtual_gpu/ptx/block_order.h"
#include "virtual_gpu/ptx/bypass.h"
#include "virtual_gpu/ptx/parser.h"
#include "virtual_gpu/undefined/unwritten.h"

namespace vgpu::ptx {
namespace {

constexpr int kLabels = 20000;

std::string many(const std::function<std::string(int)>& part) {
    std::string text =
        ".version 9.0\n.target sm_75\n.address_size 64\n.entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n";
    for (int n = 0; n < kLabels; ++n) text += part(n);
    return text + "L" + std::to_string(kLabels) + ": ret;\n}\n";
}
std::string label(int n) { return "L" + std::to_string(n); }

void analyse(const std::string& text) {
    const auto start = std::chrono::steady_clock::now();
    Program program;
    ParseError error;
    ASSERT_TRUE(parse(text, program, error)) << error.message;
    const Function& f = program.functions.at(0);
    EXPECT_FALSE(block_order(f).empty());
    bypasses(f, [](const Instruction& i) { return i.opcode == Opcode::bar; });
    unwritten_registers(f);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), 10) << "it takes less than a second on a machine that does nothing else";
}

TEST(Large, BranchesToTheEnd) {
    analyse(many([](int n) { return label(n) + ": @%p1 bra " + label(kLabels) + ";\nadd.u32 %r1, %r1, 1;\n"; }));
}
TEST(Large, LoopsWithinLoops) {
    analyse(many([](int n) {
        return n < kLabels / 2 ? label(n) + ": add.u32 %r1, %r1, 1;\n"
                               : label(n) + ": @%p1 bra " + label(kLabels - 1 - n) + ";\n";
    }));
}
TEST(Large, LoopsInARow) {
    analyse(many([](int n) { return label(n) + ": bar.sync 0;\n@%p1 bra " + label(n) + ";\n"; }));
}
TEST(Large, BarriersBehindBranches) {
    analyse(many([](int n) { return label(n) + ": @%p1 bra " + label(n + 1) + ";\nbar.sync 0;\n"; }));
}
TEST(Large, BackwardInTheText) {
    analyse("" + many([](int n) {
                return label(n) + ": add.u32 %r1, %r1, 1;\n@%p1 bra " + label(n == 0 ? kLabels : n - 1) + ";\nbra " +
                       label(n == 0 ? kLabels - 1 : kLabels) + ";\n";
            }));
}
TEST(Large, EverywhereToEverywhere) {
    analyse(many([](int n) {
        return label(n) + ": @%p1 bra " + label(static_cast<int>((7919LL * n + 13) % kLabels)) +
               ";\nadd.u32 %r1, %r1, 1;\n";
    }));
}

}  // namespace
}  // namespace vgpu::ptx
