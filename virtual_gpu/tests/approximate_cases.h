// The approximate instructions, and kernels that hash their results over many inputs or over all 2^32. The same PTX
// runs on a GPU (tools/measure_approximate.cc writes data/approximate_h200.txt there) and in the interpreter.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace vgpu::approximate {

struct Function {
    std::string name, body;  // from %a (32 bits), %b (mixed from it) and %w (64 mixed bits) to %y (64 bits)
};

constexpr int kParts = 16;                       // hashes of a function's samples
constexpr std::uint32_t kPart = 1u << 16;        // inputs of each
constexpr std::uint32_t kThreads = 256;          // of a part
constexpr std::uint32_t kSpread = 0x9E37'79B1u;  // input n is n * kSpread, so that neighbours lie far apart

inline std::vector<Function> functions() {
    std::vector<Function> l;
    const std::string narrow = "mov.b64 %y, {%d, %z};";
    for (const std::string op : {"rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "cos"})
        for (const std::string ftz : {"", ".ftz"})
            l.push_back({op + ".approx" + ftz + ".f32", op + ".approx" + ftz + ".f32 %d, %a;\n" + narrow});
    l.push_back({"tanh.approx.f32", "tanh.approx.f32 %d, %a;\n" + narrow});
    for (const std::string op : {"div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32"})
        l.push_back({op, op + " %d, %a, %b;\n" + narrow});
    for (const std::string op : {"rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64"})
        l.push_back({op, "mov.b64 %w, {%b, %a};\n" + op + " %y, %w;"});
    l.push_back({"rsqrt.approx.f64", "rsqrt.approx.f64 %y, %w;"});
    for (const std::string op : {"ex2.approx.f16", "tanh.approx.f16", "ex2.approx.ftz.bf16", "tanh.approx.bf16"}) {
        l.push_back({op, "mov.b32 {%h, %g}, %a;\n" + op + " %h, %h;\nmov.b32 %d, {%h, %g};\n" + narrow});
        l.push_back({op + "x2", op + "x2 %d, %a;\n" + narrow});
    }
    return l;
}

// Kernel "hash_N" of function N: (first: u32, count: u32, sums: u64*). Each thread takes `count` inputs, one in every
// gridDim * blockDim, and adds the hashes of (input, result) to its block's sum.
inline std::string ptx(const std::vector<Function>& list) {
    std::ostringstream out;
    out << ".version 8.5\n.target sm_90\n.address_size 64\n";
    for (std::size_t n = 0; n < list.size(); ++n)
        out << ".visible .entry hash_" << n << "(.param .u32 p_first, .param .u32 p_count, .param .u64 p_sums)\n{\n"
            << ".reg .b64 %w, %y, %s, %sums, %v;\n.reg .b32 %a, %b, %d, %z, %n, %count, %step, %t, %c;\n"
            << ".reg .b16 %h, %g;\n.reg .pred %p;\n"
            << "ld.param.u32 %n, [p_first];\nld.param.u32 %count, [p_count];\nld.param.u64 %sums, [p_sums];\n"
            << "mov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\nmov.u32 %step, %ntid.x;\nmad.lo.u32 %t, %c, %step, %t;\n"
            << "mul.wide.u32 %v, %c, 8;\nadd.u64 %sums, %sums, %v;\nmov.u32 %c, %nctaid.x;\n"
            << "mul.lo.u32 %step, %step, %c;\nadd.u32 %n, %n, %t;\nmov.u64 %s, 0;\nmov.u32 %z, 0;\nloop:\n"
            << "mul.lo.u32 %a, %n, " << kSpread << ";\nxor.b32 %b, %a, 0x5BD1E995;\nmul.lo.u32 %b, %b, 0x85EBCA6B;\n"
            << "shf.l.wrap.b32 %b, %b, %b, 13;\nmul.wide.u32 %w, %b, 0x9E3779B9;\nshl.b64 %v, %w, 29;\nxor.b64 %w, %w, "
               "%v;\n"
            << list[n].body
            << "\n"
            // The finaliser of SplitMix64, of the result and the input.
            << "mul.lo.u64 %y, %y, 0x9E3779B97F4A7C15;\ncvt.u64.u32 %v, %n;\nadd.u64 %y, %y, %v;\n"
            << "shr.u64 %v, %y, 30;\nxor.b64 %y, %y, %v;\nmul.lo.u64 %y, %y, 0xBF58476D1CE4E5B9;\n"
            << "shr.u64 %v, %y, 27;\nxor.b64 %y, %y, %v;\nmul.lo.u64 %y, %y, 0x94D049BB133111EB;\n"
            << "shr.u64 %v, %y, 31;\nxor.b64 %y, %y, %v;\nadd.u64 %s, %s, %y;\n"
            << "add.u32 %n, %n, %step;\nsub.u32 %count, %count, 1;\nsetp.ne.u32 %p, %count, 0;\n@%p bra loop;\n"
            << "red.global.add.u64 [%sums], %s;\nret;\n}\n";
    return out.str();
}

}  // namespace vgpu::approximate
