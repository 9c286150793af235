// The parser on hand-written PTX, on what nvcc writes, and on damaged texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "ptx_text.h"
#include "virtual_gpu/ptx/parser.h"

namespace vgpu::ptx {
namespace {

Program parsed(std::string_view text) {
    Program program;
    ParseError error;
    EXPECT_TRUE(parse(text, program, error)) << "line " << error.ptx_line << ": " << error.message;
    return program;
}

std::string message_of(std::string_view text, int* line = nullptr) {
    Program program;
    ParseError error;
    EXPECT_FALSE(parse(text, program, error)) << text;
    if (line) *line = error.ptx_line;
    return error.message;
}

std::string in_kernel(const std::string& body) {
    return ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{\n"
           ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n" +
           body + "\n}\n";
}

template <class List>
auto& named(List& list, std::string_view name) {
    const auto found = std::ranges::find(list, name, [](const auto& item) -> const std::string& { return item.name; });
    if (found == list.end()) throw std::runtime_error("no " + std::string(name));
    return *found;
}

const Instruction& first(const Function& function, Opcode opcode) {
    const auto found = std::ranges::find(function.body, opcode, &Instruction::opcode);
    if (found == function.body.end()) throw std::runtime_error("no " + std::string(row_of(opcode).name));
    return *found;
}

class Everything : public ::testing::Test {
  protected:
    Program program = parsed(kEverything);
    Function& kernel = named(program.functions, "kernel");
};

TEST_F(Everything, Header) {
    EXPECT_EQ(program.version_major, 9);
    EXPECT_EQ(program.version_minor, 10);
    EXPECT_EQ(program.target, "sm_75");
    EXPECT_EQ(program.files.at(0), "");
}

TEST_F(Everything, Variables) {
    const Variable& table = named(program.variables, "table");
    EXPECT_EQ(table.bytes(), 16u);
    EXPECT_EQ(table.align, 4);
    ASSERT_EQ(table.initial.size(), 16u) << "what is not written is zero";
    EXPECT_EQ(table.initial[8], 3);
    EXPECT_EQ(table.initial[12], 0);
    const Variable& coef = named(program.variables, "coef");
    EXPECT_EQ(coef.space, Space::constant);
    EXPECT_TRUE(coef.initial.empty());
    const Variable& ptr = named(program.variables, "ptr");
    ASSERT_EQ(ptr.relocations.size(), 1u);
    EXPECT_EQ(ptr.relocations[0].symbol, "table");
    EXPECT_EQ(ptr.relocations[0].addend, 8);
    EXPECT_TRUE(ptr.relocations[0].generic);
    const Variable& fns = named(program.variables, "fns");
    ASSERT_EQ(fns.relocations.size(), 2u);
    EXPECT_EQ(fns.relocations[1].at, 8u);
    EXPECT_FALSE(fns.relocations[1].generic);
    const Variable& packed = named(program.variables, "packed");
    ASSERT_EQ(packed.relocations.size(), 1u);
    EXPECT_EQ(packed.relocations[0].at, 1u);
    EXPECT_EQ(packed.relocations[0].addend, 12);
    EXPECT_EQ(packed.initial, (std::vector<std::uint8_t>{120, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0}));
    const Variable& floats = named(program.variables, "floats");
    ASSERT_EQ(floats.initial.size(), 16u);
    const auto at = [&](std::size_t i) {
        float value;
        std::memcpy(&value, floats.initial.data() + 4 * i, 4);
        return value;
    };
    EXPECT_EQ(at(0), 1.0f);
    EXPECT_EQ(at(1), 2.5f);
    EXPECT_EQ(at(2), -1.0f);
    EXPECT_EQ(at(3), 2.0f);
    EXPECT_EQ(named(program.variables, "man").initial, (std::vector<std::uint8_t>{5, 0, 0, 0}));
    EXPECT_TRUE(named(program.variables, "weakling").is_weak);
    EXPECT_TRUE(named(program.variables, "shown").is_visible);
    const Variable& dyn = named(program.variables, "dyn");
    EXPECT_TRUE(dyn.is_extern);
    EXPECT_EQ(dyn.count, 0u);
    EXPECT_EQ(dyn.align, 16);
}

TEST_F(Everything, Functions) {
    EXPECT_TRUE(kernel.is_entry);
    EXPECT_TRUE(kernel.is_visible);
    EXPECT_EQ(kernel.max_threads, 256);
    EXPECT_EQ(kernel.min_blocks, 2);
    ASSERT_EQ(kernel.params.size(), 3u);
    EXPECT_EQ(kernel.params[0].type, Type::u64);
    EXPECT_EQ(kernel.params[0].align, 8);
    EXPECT_EQ(kernel.params[2].bytes(), 16u);
    EXPECT_EQ(kernel.params[2].align, 8);
    const Function& vprintf = named(program.functions, "vprintf");
    EXPECT_TRUE(vprintf.is_extern);
    EXPECT_TRUE(vprintf.body.empty());
    EXPECT_EQ(vprintf.returns.size(), 1u);
    EXPECT_EQ(std::ranges::count(program.functions, "_Z3opai", &Function::name), 1) << "declared, then defined";
    EXPECT_EQ(named(program.functions, "nothing").body.size(), 1u);
    EXPECT_EQ(named(program.functions, "twin").body.size(), named(program.functions, "_Z3opai").body.size());
    ASSERT_EQ(kernel.shared.size(), 1u);
    EXPECT_EQ(kernel.shared[0].name, "tile");
    // The depot, and the parameters of two calls, whose names were taken twice.
    ASSERT_EQ(kernel.locals.size(), 6u);
    EXPECT_EQ(kernel.locals[0].space, Space::local);
    EXPECT_EQ(kernel.locals[1].name, "param0");
    EXPECT_NE(kernel.locals[3].name, "param0");
    EXPECT_EQ(kernel.registers[0].name, "%SP");
}

TEST_F(Everything, Locations) {
    EXPECT_EQ(program.files.at(static_cast<std::size_t>(kernel.where.file)), "/src/scan.cu");
    EXPECT_EQ(kernel.where.line, 19);
    const Instruction& shuffle = first(kernel, Opcode::shfl);
    EXPECT_EQ(program.files.at(static_cast<std::size_t>(shuffle.where.file)), "/src/shuffle.h");
    ASSERT_GE(shuffle.where.inlined_at, 0);
    const InlineSite& site = program.inline_sites.at(static_cast<std::size_t>(shuffle.where.inlined_at));
    EXPECT_EQ(site.function, "_Z1a");
    EXPECT_EQ(site.at.line, 27);
    const Instruction& branch = first(kernel, Opcode::bra);
    const InlineSite& deep = program.inline_sites.at(static_cast<std::size_t>(branch.where.inlined_at));
    EXPECT_EQ(deep.function, "b");
    EXPECT_EQ(deep.at.line, 397);
    EXPECT_EQ(deep.at.inlined_at, shuffle.where.inlined_at) << "where that one was inlined itself";
}

TEST_F(Everything, Operands) {
    const Instruction& shuffle = first(kernel, Opcode::shfl);
    EXPECT_EQ(shuffle.modifiers, (std::vector<std::string>{"sync", "down", "b32"}));
    ASSERT_EQ(shuffle.operands.size(), 5u);
    ASSERT_EQ(shuffle.operands[0].kind, Operand::Kind::vector);
    EXPECT_EQ(kernel.registers.at(static_cast<std::size_t>(shuffle.operands[0].elements.at(1).index)).name, "%p1");
    EXPECT_EQ(shuffle.operands[4].bits, ~std::uint64_t{0});
    const Instruction& branch = first(kernel, Opcode::bra);
    EXPECT_TRUE(branch.guard_negated);
    EXPECT_EQ(kernel.registers.at(static_cast<std::size_t>(branch.guard)).name, "%p1");
    EXPECT_EQ(kernel.body.at(static_cast<std::size_t>(branch.operands[0].index)).opcode, Opcode::mov);
    EXPECT_EQ(kernel.body.at(static_cast<std::size_t>(branch.operands[0].index)).operands[1].name, "%tid.x");
    const Instruction& load = *std::ranges::find_if(
        kernel.body, [](const auto& i) { return i.modifiers.size() > 2 && i.modifiers[2] == "L2::128B"; });
    EXPECT_EQ(load.modifiers, (std::vector<std::string>{"global", "nc", "L2::128B", "v4", "u32"}));
    EXPECT_EQ(load.operands[0].elements.at(2).kind, Operand::Kind::sink);
    EXPECT_EQ(load.operands[1].kind, Operand::Kind::address);
    EXPECT_EQ(load.operands[1].offset, -16);
    const Instruction& atom = first(kernel, Opcode::atom);
    EXPECT_EQ(atom.operands[1].name, "shown");
    EXPECT_EQ(atom.operands[1].index, -1);
    EXPECT_EQ(atom.operands[2].bits, 8u) << "octal";
    const Instruction& compare = first(kernel, Opcode::setp);
    EXPECT_TRUE(compare.operands.back().negated);
    EXPECT_EQ(static_cast<std::int64_t>(compare.operands[2].bits), -5);
    const Instruction& select = first(kernel, Opcode::selp);
    EXPECT_EQ(select.operands[1].bits, 0xffffffffu);
    EXPECT_EQ(select.operands[2].kind, Operand::Kind::special);
    const Instruction& add = first(kernel, Opcode::add);
    EXPECT_TRUE(add.operands[2].is_float);
    EXPECT_EQ(std::bit_cast<double>(add.operands[2].bits), 1.5);
    const Instruction& texture = first(kernel, Opcode::tex);
    EXPECT_EQ(texture.operands[1].elements.size(), 1u);
}

TEST_F(Everything, CallsAndJumps) {
    std::vector<const Instruction*> calls;
    for (const Instruction& instruction : kernel.body)
        if (instruction.call) calls.push_back(&instruction);
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0]->call->callee, "_Z3opai");
    EXPECT_EQ(calls[0]->call->arguments, std::vector<std::string>{kernel.locals[1].name});
    EXPECT_EQ(calls[0]->call->returns, std::vector<std::string>{kernel.locals[2].name});
    const Prototype wanted{{{4, 4, false}}, {{4, 4, false}, {16, 8, true}}};
    EXPECT_EQ(calls[1]->call->prototype, wanted);
    EXPECT_EQ(calls[1]->call->arguments, (std::vector<std::string>{kernel.locals[3].name, kernel.locals[4].name}));
    EXPECT_GE(calls[1]->call->callee_register, 0);
    const Instruction& indirect = first(kernel, Opcode::brx);
    ASSERT_EQ(indirect.operands[1].targets.size(), 2u);
    EXPECT_EQ(indirect.operands[1].targets[0], first(kernel, Opcode::bra).operands[0].index);
    EXPECT_EQ(indirect.operands[1].targets[1], static_cast<int>(kernel.body.size()) - 1);
    EXPECT_EQ(kernel.body.back().opcode, Opcode::ret) << "a jump to the end needs something to land on";
    // Two blocks with a label L each: one jumps back to itself, the other forward.
    std::vector<int> self;
    for (std::size_t i = 0; i < kernel.body.size(); ++i)
        if (kernel.body[i].opcode == Opcode::bra)
            self.push_back(kernel.body[i].operands[0].index - static_cast<int>(i));
    ASSERT_EQ(self.size(), 3u);
    EXPECT_EQ(self[1], 0);
    EXPECT_EQ(self[2], 1);
}

TEST(Parser, ErrorsNameLineAndPlace) {
    int line = 0;
    EXPECT_EQ(message_of(in_kernel("add.s32 %r1, %r2, %nosuch;"), &line), "unknown register '%nosuch'");
    EXPECT_EQ(line, 9);
    EXPECT_EQ(message_of(in_kernel("\nbra $L_nowhere;"), &line), "no label '$L_nowhere'");
    EXPECT_EQ(line, 10);
    EXPECT_EQ(message_of(in_kernel("brx.idx %r1, nolist;")), "no .branchtargets 'nolist' before it is used");
    EXPECT_EQ(message_of(in_kernel("@%r1 ret;")), "'%r1' is not a predicate register");
    EXPECT_EQ(message_of(in_kernel("add.s32 %r1, %r2, 5")), "expected ';' after an instruction, found '}'");
    EXPECT_EQ(message_of(in_kernel("mov.u32 %r1, 0x;")), "not a number: '0x;\n}\n'");
    EXPECT_EQ(message_of(in_kernel("mov.u32 %r1, 1/0;")), "division by zero in a constant expression");
    EXPECT_EQ(message_of(in_kernel("mov.f32 %r1, 0f3F80;")), "a float in hexadecimal needs 8 digits");
    EXPECT_EQ(message_of(in_kernel("call (r), f;")), "a call's argument has to be a .param variable, found 'r'");
    EXPECT_EQ(message_of(in_kernel(".reg .q32 %x;")), "registers of type '.q32' are not supported");
    EXPECT_EQ(message_of(in_kernel(".reg .b32 %x<99999999>;")), "too many registers");
    EXPECT_EQ(message_of(in_kernel("L: L: ret;")), "label 'L' is defined twice");
    EXPECT_EQ(message_of(in_kernel(".param .b8 p[1099511627776];")), "function 'k' has more than 1 MiB of parameters");
    EXPECT_EQ(message_of(in_kernel(".local .b8 a[300000]; .local .b8 b[300000];")),
              "function 'k' has more than 512 KiB of local memory for each thread");
    EXPECT_EQ(message_of(".global .texref t;"), "textures and surfaces without an object");
    EXPECT_EQ(message_of(".global .b8 a[2] = {1,2,3};"), "initialiser of 'a' is longer than the variable");
    EXPECT_EQ(message_of(".global .u64 a; .global .u64 a;"), "variable 'a' is defined twice");
    EXPECT_EQ(message_of(".address_size 32"), "only .address_size 64 is supported");
    EXPECT_EQ(message_of("hello"), "expected a directive, found 'hello'");
    EXPECT_EQ(message_of(".visible .entry k() {"), "function 'k' has no end");
    EXPECT_EQ(message_of("/* no end"), "comment without an end");
}

TEST(Parser, ConstantExpressions) {
    const auto value = [](const std::string& expression) {
        return first(parsed(in_kernel("mov.u64 %rd1, " + expression + ";")).functions.at(0), Opcode::mov)
            .operands.at(1)
            .bits;
    };
    EXPECT_EQ(value("1+2*3"), 7u);
    EXPECT_EQ(value("(1+2)*3"), 9u);
    EXPECT_EQ(value("1 << 4 | 3"), 19u);
    EXPECT_EQ(value("7 & 3 == 3"), 1u);
    EXPECT_EQ(value("~0"), ~std::uint64_t{0});
    EXPECT_EQ(value("-8 >> 1"), static_cast<std::uint64_t>(-4));
    EXPECT_EQ(value("0b101"), 5u);
    EXPECT_EQ(value("0x10U"), 16u);
    EXPECT_EQ(value("1 ? 2 : 3"), 2u);
    EXPECT_EQ(value("-9223372036854775808 / -1"), std::uint64_t{1} << 63);
    EXPECT_EQ(value("18446744073709551615"), ~std::uint64_t{0});
    EXPECT_EQ(value("!5"), 0u);
    EXPECT_EQ(value("-1.5"), std::bit_cast<std::uint64_t>(-1.5));
    EXPECT_EQ(value("1e3"), std::bit_cast<std::uint64_t>(1000.0));
}

TEST(Parser, ScopesHideOuterNames) {
    const Program program = parsed(in_kernel("{ .reg .b32 %r1; mov.u32 %r1, 5; } mov.u32 %r1, 6;"));
    const Function& kernel = program.functions.at(0);
    EXPECT_NE(kernel.body[0].operands[0].index, kernel.body[1].operands[0].index);
}

TEST(Parser, EveryTypeHasItsNameAndSize) {
    for (int i = 1; i <= static_cast<int>(Type::f64); ++i) {
        const auto type = static_cast<Type>(i);
        EXPECT_EQ(type_named("." + std::string(name_of(type))), type);
        EXPECT_GT(size_of(type), 0);
    }
    EXPECT_EQ(size_of(Type::b128), 16);
    EXPECT_EQ(size_of(Type::f16x2), 4);
    EXPECT_EQ(size_of(Type::f64), 8);
    EXPECT_EQ(type_named("v4"), Type::none);
}

// Whatever is cut off or changed, the parser ends with an error or a Program.
TEST(Parser, DamagedTexts) {
    Program program;
    ParseError error;
    for (std::size_t length = 0; length < kEverything.size(); ++length)
        parse(kEverything.substr(0, length), program, error);
    std::mt19937 random(7);
    std::string pieces = "{}()[];:,.@!%$|+-<>\"0123456789abcfrx_ \n\t/*";
    for (int round = 0; round < 4000; ++round) {
        std::string text(kEverything);
        for (unsigned change = 0; change < 1 + random() % 4; ++change) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0:
                    text[at] = pieces[random() % pieces.size()];
                    break;
                case 1:
                    text.erase(at, 1 + random() % 40);
                    break;
                case 2:
                    text.insert(at, 1, pieces[random() % pieces.size()]);
                    break;
                default:
                    text.insert(at, text.substr(random() % text.size(), random() % 60));
                    break;
            }
        }
        parse(text, program, error);
    }
    for (const char* open : {"(", "{", "[", "-", "~", "!", "[0,", "[%r1,{", "1?"}) {
        std::string deep;
        for (int i = 0; i < 100000; ++i) deep += open;
        parse(in_kernel("mov.u32 %r1, " + deep), program, error);
    }
    parse(in_kernel(std::string(100000, '{')), program, error);
    parse(".global .b8 a[1] = " + std::string(100000, '{'), program, error);
    parse(".func f .attribute " + std::string(100000, '('), program, error);
}

// ---- What nvcc writes ----

std::string nvcc() {
    for (const char* candidate : {"/usr/local/cuda/bin/nvcc", "nvcc"})
        if (std::system((std::string(candidate) + " --version > /dev/null 2>&1").c_str()) == 0) return candidate;
    return "";
}

class Compiled : public ::testing::TestWithParam<const char*> {};

TEST_P(Compiled, IsUnderstood) {
    const std::string compiler = nvcc();
    if (compiler.empty()) GTEST_SKIP() << "no nvcc";
    const std::string output = ::testing::TempDir() + "features" +
                               std::string(GetParam()).substr(GetParam() == std::string("-G") ? 0 : 6) + ".ptx";
    const std::string flags =
        GetParam() == std::string("-G") ? "-arch=compute_80 -G" : std::string(GetParam()) + " -lineinfo";
    const std::string command =
        compiler + " -std=c++20 -ptx " + flags + " " VGPU_TEST_DATA "/features.cu -o " + output + " 2> /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream file(output);
    std::stringstream text;
    text << file.rdbuf();
    const Program program = parsed(text.str());
    std::filesystem::remove(output);
    EXPECT_GE(std::ranges::count(program.functions, true, &Function::is_entry), 10);
    for (const Function& function : program.functions) {
        if (function.body.empty()) continue;
        EXPECT_TRUE(function.where.line > 0 || !function.is_entry) << function.name;
        for (const Instruction& instruction : function.body)
            for (const Operand& operand : instruction.operands)
                EXPECT_TRUE(operand.kind != Operand::Kind::label ||
                            operand.index < static_cast<int>(function.body.size()));
    }
    if (GetParam() == std::string("-G")) return;
    // twice_inlined() calls inner() calls innermost(): both calls are found again.
    const Function& chain = *std::ranges::find_if(
        program.functions, [](const Function& f) { return f.name.find("inline_chain") != f.name.npos; });
    const auto deepest = std::ranges::find_if(chain.body, [](const Instruction& i) { return i.opcode == Opcode::ex2; });
    ASSERT_NE(deepest, chain.body.end());
    ASSERT_GE(deepest->where.inlined_at, 0);
    std::vector<std::string> functions;
    for (int site = deepest->where.inlined_at; site >= 0;
         site = program.inline_sites.at(static_cast<std::size_t>(site)).at.inlined_at)
        functions.push_back(program.inline_sites.at(static_cast<std::size_t>(site)).function);
    ASSERT_GE(functions.size(), 2u);
    EXPECT_NE(functions[functions.size() - 1].find("inner"), std::string::npos);
    EXPECT_NE(functions[functions.size() - 2].find("innermost"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Nvcc, Compiled, ::testing::Values("-arch=compute_75", "-arch=compute_90", "-G"));

}  // namespace
}  // namespace vgpu::ptx
