// The order in which basic blocks are laid out.
#include <gtest/gtest.h>

#include <string>

#include "virtual_gpu/ptx/block_order.h"
#include "virtual_gpu/ptx/parser.h"

namespace vgpu::ptx {
namespace {

// Blocks by their names, in order: a letter is an instruction `mov.u32 %r1, <its place in the alphabet>`.
std::string order_of(const std::string& body) {
    Program program;
    ParseError error;
    EXPECT_TRUE(
        parse(".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<2>;\n"
              ".reg .pred %p<2>;\n" +
                  body + "}\n",
              program, error))
        << error.ptx_line << ": " << error.message;
    const Function& f = program.functions.at(0);
    std::string letters;
    std::size_t instructions = 0;
    for (const Span& span : block_order(f)) {
        if (!letters.empty()) letters += ' ';
        instructions += span.end - span.begin;
        for (std::uint32_t n = span.begin; n < span.end; ++n)
            if (f.body[n].opcode == Opcode::mov) letters += static_cast<char>('a' + f.body[n].operands.at(1).bits);
    }
    EXPECT_EQ(instructions, f.body.size());
    return letters;
}

std::string letter(char c) { return "mov.u32 %r1, " + std::to_string(c - 'a') + ";\n"; }
const std::string a = letter('a'), b = letter('b'), c = letter('c'), d = letter('d'), e = letter('e');

TEST(BlockOrder, IsTheTextsWhereLanesMeetInItAnyway) {
    EXPECT_EQ(order_of(a + "ret;\n"), "a");
    EXPECT_EQ(order_of(a + "@%p1 bra $B;\n" + b + "$B:\n" + c + "ret;\n"), "abc");
    EXPECT_EQ(order_of(a + "$L:\n" + b + "@%p1 bra $L;\n" + c + "ret;\n"), "abc");
    EXPECT_EQ(order_of(""), "");
}

TEST(BlockOrder, PutsAJoinBehindAllThatLeadToIt) {
    // The compiler has put the end of the function behind the first of three ways to it.
    EXPECT_EQ(order_of(a + "@%p1 bra $C;\n" + b + "$E:\n" + e + "ret;\n$C:\n" + c + "@%p1 bra $E;\n" + d + "bra $E;\n"),
              "ab cd e");
}

TEST(BlockOrder, PutsWhatFollowsALoopBehindIt) {
    EXPECT_EQ(order_of(a + "$L:\n" + b + "@%p1 bra $C;\n" + e + "ret;\n$C:\n" + c + "bra $L;\n" + d + "ret;\n"),
              "ab c e d");
    // Of two loops, one in the other, each is followed by its end.
    EXPECT_EQ(order_of("$L:\n" + a + "$M:\n" + b + "@%p1 bra $D;\n" + c + "@%p1 bra $L;\n" + e + "ret;\n$D:\n" + d +
                       "bra $M;\n"),
              "ab d ce");
}

TEST(BlockOrder, LeavesAWayOutOfALoopWhereItIs) {
    // What only the lanes run that find something in it (b) does not wait for the others; where all end does (e).
    EXPECT_EQ(order_of("$L:\n" + a + "@%p1 bra $C;\n" + b + "bra $E;\n$C:\n" + c + "@%p1 bra $L;\n" + d + "$E:\n" + e +
                       "ret;\n"),
              "abcde");
    EXPECT_EQ(order_of("$L:\n" + a + "@%p1 bra $C;\n" + b + "$E:\n" + e + "ret;\n$C:\n" + c + "@%p1 bra $L;\n" + d +
                       "bra $E;\n"),
              "ab cd e");
}

TEST(BlockOrder, WorksForLoopsWithSeveralEntriesAndWithoutEnd) {
    EXPECT_EQ(order_of("@%p1 bra $B;\n$A:\n" + a + "$B:\n" + b + "@%p1 bra $A;\n" + c + "ret;\n"), "abc");
    EXPECT_EQ(order_of(a + "@%p1 bra $C;\n$B:\n" + b + "bra $B;\n$C:\n" + c + "trap;\n"), "abc");
}

TEST(BlockOrder, DoesNotTakeATrapForAWayOutOfALoop) {
    EXPECT_EQ(order_of("$L:\n" + a + "@%p1 bra $C;\n" + d + "ret;\n$C:\n" + c + "@%p1 bra $T;\n" + b +
                       "bra $L;\n$T:\n" + e + "trap;\n"),
              "a cb d e");
}

}  // namespace
}  // namespace vgpu::ptx
