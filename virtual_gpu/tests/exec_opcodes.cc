// The table of opcodes, and decoded code that knows what it is.
#include <gtest/gtest.h>

#include "exec_harness.h"
#include "virtual_gpu/exec/decode/code.h"
#include "virtual_gpu/exec/decode/decoder.h"

namespace vgpu {
namespace {

struct Decoded {
    Module module;
    explicit Decoded(const std::string& body) {
        const std::string text = std::string(kHead) +
                                 ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n"
                                 ".reg .b64 %rd<8>;\n" +
                                 body + "\nret;\n}\n";
        ptx::ParseError error;
        EXPECT_TRUE(ptx::parse(text, module.program, error)) << error.message;
        declare_functions(module);
        decode(module, *module.functions[0]);
    }
    const Function& function() const { return *module.functions[0]; }
    const ptx::Instruction& first() const { return function().source->body[0]; }
};

TEST(Opcodes, NamesAreWords) {
    for (std::size_t n = 1; n < ptx::kOpcodes.size(); ++n)
        EXPECT_EQ(ptx::opcode_named(ptx::kOpcodes[n].name), static_cast<Opcode>(n)) << ptx::kOpcodes[n].name;
    EXPECT_EQ(ptx::opcode_named("and"), Opcode::and_);
    EXPECT_EQ(ptx::opcode_named("frobnicate"), Opcode::other);
}

TEST(Opcodes, Results) {
    for (const char* with :
         {"add.u32 %r1, %r2, 1;", "bar.red.popc.u32 %r1, 0, %p1;", "mbarrier.arrive.shared.b64 %rd1, [%r1];",
          "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;", "atom.global.add.u32 %r1, [%rd1], 1;"})
        EXPECT_TRUE(has_result(Decoded(with).first())) << with;
    for (const char* without :
         {"st.global.u32 [%rd1], %r1;", "bar.sync 0;", "mbarrier.init.shared.b64 [%r1], 1;", "nanosleep.u32 %r1;",
          "red.global.add.u32 [%rd1], 1;", "cp.async.wait_group 0;", "prefetch.global.L1 [%rd1];"})
        EXPECT_FALSE(has_result(Decoded(without).first())) << without;
}

TEST(Opcodes, OthersKeepTheirNames) {
    const Decoded d("frobnicate.u32 %r1, %r2;");
    EXPECT_EQ(name_of(d.first()), "frobnicate.u32");
    EXPECT_EQ(d.function().texts, std::vector<std::string>{"the instruction frobnicate.u32 is"});
}

TEST(Opcodes, CodeCanBePrinted) {
    const Decoded d("@!%p1 ld.global.u32 %r1, [%rd1+16];\nmul.lo.u32 %r2, %r1, 7;");
    const Function& f = d.function();
    EXPECT_EQ(to_string(d.module, f, f.code[0]).substr(0, 47), "0: @!%p1 ld.global.u32 d=%r1 a=%rd1 imm=16 rule");
    EXPECT_EQ(to_string(d.module, f, f.code[1]).substr(0, 32), "1: mul.lo.u32 d=%r2 a=%r1 b=7 ru");
}

TEST(Opcodes, CodeKnowsWhatItIs) {
    for (const char* name : {"lanes", "races", "async", "undefined"}) {
        std::ifstream in(std::string(VGPU_TEST_PTX) + "/" + name + ".ptx");
        std::stringstream text;
        text << in.rdbuf();
        Module m;
        ptx::ParseError error;
        ASSERT_TRUE(ptx::parse(text.str(), m.program, error)) << error.message;
        declare_functions(m);
        for (const auto& f : m.functions) {
            decode(m, *f);
            for (const Instr& i : f->code)
                if (!i.hidden) {
                    EXPECT_EQ(i.opcode, f->source->body[i.source].opcode) << to_string(m, *f, i);
                }
        }
    }
}

}  // namespace
}  // namespace vgpu
