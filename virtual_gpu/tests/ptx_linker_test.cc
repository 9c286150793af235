#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "ptx_text.h"
#include "virtual_gpu/ptx/linker.h"

namespace vgpu::ptx {
namespace {

const std::string kHead = ".version 9.0\n.target sm_75\n.address_size 64\n";

std::string definition(const std::string& linkage, const std::string& name, int value) {
    return linkage + " .func " + name + "()\n{\n.reg .b32 %r<2>;\n.loc 1 5 0\nmov.u32 %r1, " + std::to_string(value) +
           ";\nret;\n}\n";
}

Program linked(const std::vector<std::string>& texts) {
    Program program;
    ParseError error;
    EXPECT_TRUE(load(texts, program, error)) << error.ptx_line << ": " << error.message;
    return program;
}

std::string message_of(const std::vector<std::string>& texts) {
    Program program;
    ParseError error;
    EXPECT_FALSE(load(texts, program, error));
    return error.message;
}

const Function& function(const Program& program, std::string_view name) {
    const auto found = std::ranges::find(program.functions, name, &Function::name);
    if (found == program.functions.end()) throw std::runtime_error("no function " + std::string(name));
    return *found;
}

const Variable& variable(const Program& program, std::string_view name) {
    const auto found = std::ranges::find(program.variables, name, &Variable::name);
    if (found == program.variables.end()) throw std::runtime_error("no variable " + std::string(name));
    return *found;
}

std::uint64_t value_in(const Program& program, const std::string& name) {
    return function(program, name).body.at(0).operands.at(1).bits;
}

TEST(Linker, OneTextStaysAsItIs) {
    const Program program = linked({std::string(kEverything)});
    EXPECT_EQ(program.files.size(), 4u);
    EXPECT_TRUE(function(program, "vprintf").body.empty()) << "left to the interpreter";
    EXPECT_TRUE(variable(program, "dyn").is_extern);
}

TEST(Linker, ExternMeetsItsDefinitionInEitherOrder) {
    const std::string use = kHead +
                            ".extern .func f();\n.extern .global .u32 x;\n"
                            ".visible .entry k()\n{\n.reg .b32 %r<2>;\nld.global.u32 %r1, [x];\ncall f;\nret;\n}\n";
    const std::string define = kHead + ".visible .global .u32 x = 7;\n" + definition(".visible", "f", 3);
    for (const auto& texts : {std::vector{use, define}, std::vector{define, use}}) {
        const Program program = linked(texts);
        EXPECT_EQ(program.functions.size(), 2u);
        EXPECT_EQ(program.variables.size(), 1u);
        EXPECT_EQ(value_in(program, "f"), 3u);
        EXPECT_FALSE(variable(program, "x").is_extern);
        EXPECT_EQ(variable(program, "x").initial.at(0), 7);
    }
    EXPECT_EQ(message_of({use}), "variable 'x' is declared extern, but nobody defines it");
}

TEST(Linker, WeakGivesWayAndTheFirstWeakStays) {
    EXPECT_EQ(value_in(linked({kHead + definition(".weak", "f", 1), kHead + definition(".weak", "f", 2)}), "f"), 1u);
    EXPECT_EQ(value_in(linked({kHead + definition(".weak", "f", 1), kHead + definition(".visible", "f", 2)}), "f"), 2u);
    EXPECT_EQ(message_of({kHead + definition(".visible", "f", 1), kHead + definition(".visible", "f", 2)}),
              "'f' is defined in two files");
    const Program common = linked({kHead + ".common .global .u32 c;\n", kHead + ".common .global .u32 c;\n"});
    EXPECT_EQ(common.variables.size(), 1u);
}

TEST(Linker, StaticNamesAreKeptApart) {
    const auto text = [](const std::string& kernel, int value) {
        return kHead + ".global .u32 mine = " + std::to_string(value) + ";\n.global .u64 pointer = generic(mine);\n" +
               definition("", "helper", value) + ".visible .entry " + kernel +
               "()\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\n.param .b32 local;\nld.global.u32 %r1, [mine];\n"
               "mov.u64 %rd1, helper;\nst.param.b32 [local], %r1;\ncall helper;\nret;\n}\n";
    };
    const Program program = linked({text("first", 1), text("second", 2)});
    std::set<std::string> names;
    for (const Variable& v : program.variables) EXPECT_TRUE(names.insert(v.name).second) << v.name;
    for (const Function& f : program.functions) EXPECT_TRUE(names.insert(f.name).second) << f.name;
    for (const auto& [kernel, value] : {std::pair{"first", 1u}, std::pair{"second", 2u}}) {
        const Function& k = function(program, kernel);
        EXPECT_EQ(variable(program, k.body.at(0).operands.at(1).name).initial.at(0), value);
        EXPECT_EQ(value_in(program, k.body.at(1).operands.at(1).name), value);
        EXPECT_EQ(k.body.at(2).operands.at(0).name, "local");
        EXPECT_EQ(value_in(program, k.body.at(3).call->callee), value);
    }
    EXPECT_EQ(variable(program, program.variables.at(3).relocations.at(0).symbol).initial.at(0), 2);
}

TEST(Linker, AStaticNameStepsAsideForAGlobalOne) {
    const std::string has_static = kHead + definition("", "f", 1) + ".visible .entry k()\n{\ncall f;\nret;\n}\n";
    const std::string has_global = kHead + definition(".visible", "f", 2);
    for (const auto& texts : {std::vector{has_static, has_global}, std::vector{has_global, has_static}}) {
        const Program program = linked(texts);
        EXPECT_EQ(value_in(program, "f"), 2u);
        EXPECT_EQ(value_in(program, function(program, "k").body.at(0).call->callee), 1u);
    }
}

TEST(Linker, FilesAndInlineSitesAreJoined) {
    const auto text = [](const std::string& name, const std::string& own) {
        return kHead + ".visible .func " + name +
               "()\n{\n.loc 1 3 1\n.loc 2 9 1, function_name $L_a, inlined_at 1 3 1\nret;\n}\n.file 1 \"" + own +
               "\"\n.file 2 \"/common.h\"\n.section .debug_str { $L_a: .b8 " + std::to_string(name[0]) + ",0 }\n";
    };
    const Program program = linked({text("f", "/a.cu"), text("g", "/b.cu")});
    EXPECT_EQ(program.files.size(), 4u) << "the header once";
    for (const auto& [name, file] : {std::pair{"f", "/a.cu"}, std::pair{"g", "/b.cu"}}) {
        const Function& f = function(program, name);
        EXPECT_EQ(program.files.at(static_cast<std::size_t>(f.where.file)), file);
        EXPECT_EQ(program.files.at(static_cast<std::size_t>(f.body[0].where.file)), "/common.h");
        const InlineSite& site = program.inline_sites.at(static_cast<std::size_t>(f.body[0].where.inlined_at));
        EXPECT_EQ(site.function, name);
        EXPECT_EQ(program.files.at(static_cast<std::size_t>(site.at.file)), file);
    }
}

TEST(Linker, Errors) {
    EXPECT_EQ(message_of({kHead + ".visible .entry k()\n{\ncall nobody;\nret;\n}\n"}),
              "'nobody', used in 'k', is not declared");
    EXPECT_EQ(message_of({kHead + ".global .u64 p = generic(q);\n"}),
              "'q', used in the initial value of 'p', is not declared");
    EXPECT_EQ(message_of({kHead, kHead + "\n.oops"}), "'.oops' is no directive that this knows (PTX text 2 of 2)");
}

TEST(Linker, UnknownDeviceFunctionsStayDeclarations) {
    const Program program = linked({kHead + ".extern .func cudaCDP2DeviceSynchronize();\n.visible .entry k()\n{\ncall "
                                            "cudaCDP2DeviceSynchronize;\nret;\n}\n"});
    EXPECT_TRUE(function(program, "cudaCDP2DeviceSynchronize").body.empty());
}

TEST(Linker, SharedDynamicArraysMeet) {
    const Program program =
        linked({kHead + ".extern .shared .align 4 .b8 s[];\n", kHead + ".extern .shared .align 4 .b8 s[];\n"});
    EXPECT_EQ(program.variables.size(), 1u);
}

}  // namespace
}  // namespace vgpu::ptx
