// Instructions that have one right answer to the bit, and inputs for them. The same PTX runs on a GPU
// (tools/measure_instructions.cc writes data/instructions_h200.txt there) and in the interpreter.
#pragma once

#include <bit>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace vgpu::cases {

constexpr int kSamples = 2048;  // threads of a case's kernel, and values of each operand

struct Case {
    std::string name;                 // the instruction as in its text
    std::string body;                 // uses %a %b %c and writes %d (and maybe %e: 32 bits)
    std::string result;               // type of %d: "u32", ..., "pred"
    std::vector<std::string> inputs;  // types of %a, %b, %c
};

inline int bits_of(const std::string& type) {
    if (type == "pred") return 1;
    if (type.ends_with("x2")) return 32;
    return std::stoi(type.substr(type.find_first_of("0123456789")));
}

inline std::uint64_t mix(std::uint64_t z) {
    z += 0x9E37'79B9'7F4A'7C15u;
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9u;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBu;
    return z ^ (z >> 31);
}

// Half of the values are edges, the others random: bits of random length, or floats of usual size.
inline std::uint64_t input(const std::string& type, int operand, int sample) {
    const std::uint64_t h = mix(static_cast<std::uint64_t>(operand) * 1'000'003 + static_cast<std::uint64_t>(sample));
    const std::uint64_t r = mix(h);
    const bool edge = (h & 1) != 0;
    const auto pick = [&](const auto& list) { return list[r % std::size(list)]; };
    if (type == "f32") {
        static const std::uint32_t kEdges[] = {
            0,           0x8000'0000, 0x3F80'0000, 0xBF80'0000, 0x7F80'0000, 0xFF80'0000, 0x7FC0'0000,
            0xFFC0'0001, 0x7F80'0001, 1,           0x8000'0001, 0x007F'FFFF, 0x807F'FFFF, 0x0080'0000,
            0x7F7F'FFFF, 0xFF7F'FFFF, 0x3F00'0000, 0x3FC0'0000, 0x4020'0000, 0xC020'0000, 0x4F00'0000,
            0xCF00'0000, 0x4EFF'FFFF, 0x4F80'0000, 0x5F00'0000, 0xDF00'0000, 0x5F80'0000, 0x4049'0FDB,
            0x3DCC'CCCD, 0x437F'0000, 0x4380'0000, 0x477F'FF00, 0x4700'0000, 0x477F'F000, 0x3300'0000};
        if (edge) return pick(kEdges);
        if ((h & 2) != 0) return static_cast<std::uint32_t>(r);
        return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(r >> 20) % 200'001 - 100'000) /
                                            97.0f);
    }
    if (type == "f64") {
        static const std::uint64_t kEdges[] = {0,
                                               0x8000'0000'0000'0000,
                                               0x3FF0'0000'0000'0000,
                                               0xBFF0'0000'0000'0000,
                                               0x7FF0'0000'0000'0000,
                                               0xFFF0'0000'0000'0000,
                                               0x7FF8'0000'0000'0000,
                                               1,
                                               0x8000'0000'0000'0001,
                                               0x000F'FFFF'FFFF'FFFF,
                                               0x0010'0000'0000'0000,
                                               0x7FEF'FFFF'FFFF'FFFF,
                                               0x3FE0'0000'0000'0000,
                                               0x4004'0000'0000'0000,
                                               0xC004'0000'0000'0000,
                                               0x41DF'FFFF'FFC0'0000,
                                               0x41E0'0000'0000'0000,
                                               0xC1E0'0000'0000'0000,
                                               0x43E0'0000'0000'0000,
                                               0xC3E0'0000'0000'0000,
                                               0x43F0'0000'0000'0000,
                                               0x4009'21FB'5444'2D18,
                                               0x3FB9'9999'9999'999A,
                                               0x47EF'FFFF'E000'0000,
                                               0x47EF'FFFF'F000'0000,
                                               0x3810'0000'0000'0000,
                                               0x36A0'0000'0000'0000,
                                               0x40EF'FFC0'0000'0000,
                                               0x3E60'0000'0000'0001};
        if (edge) return pick(kEdges);
        if ((h & 2) != 0) return (r & 0x7FF0'0000'0000'0000) == 0x7FF0'0000'0000'0000 ? 0 : r;
        return std::bit_cast<std::uint64_t>(
            static_cast<double>(static_cast<std::int64_t>(r >> 20) % 200'001 - 100'000) / 97.0);
    }
    if (type == "f16" || type == "f16x2") {
        static const std::uint16_t kEdges[] = {0,      0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 1,      0x8001,
                                               0x03FF, 0x0400, 0x7BFF, 0xFBFF, 0x3800, 0x3E00, 0x4100, 0x4248, 0x7800};
        const auto one = [&](std::uint64_t x) -> std::uint64_t {
            return (x & 1) != 0 ? kEdges[(x >> 8) % std::size(kEdges)] : (x >> 16 & 0xFFFF);
        };
        return type == "f16" ? one(r) : one(r) | one(mix(r)) << 16;
    }
    if (type == "bf16" || type == "bf16x2") {
        static const std::uint16_t kEdges[] = {0,      0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC0, 1,
                                               0x8001, 0x007F, 0x0080, 0x7F7F, 0xFF7F, 0x3F00, 0x4020, 0x4049};
        const auto one = [&](std::uint64_t x) -> std::uint64_t {
            return (x & 1) != 0 ? kEdges[(x >> 8) % std::size(kEdges)] : (x >> 16 & 0xFFFF);
        };
        return type == "bf16" ? one(r) : one(r) | one(mix(r)) << 16;
    }
    const int bits = bits_of(type);
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    static const std::uint64_t kEdges[] = {0,
                                           1,
                                           2,
                                           3,
                                           5,
                                           7,
                                           8,
                                           31,
                                           32,
                                           33,
                                           63,
                                           64,
                                           65,
                                           0x7F,
                                           0x80,
                                           0xFF,
                                           0x100,
                                           0x7FFF,
                                           0x8000,
                                           0xFFFF,
                                           0x1'0000,
                                           0xFF'FFFF,
                                           0x7FFF'FFFF,
                                           0x8000'0000,
                                           0xFFFF'FFFF,
                                           0x1'0000'0000,
                                           0x7FFF'FFFF'FFFF'FFFF,
                                           0x8000'0000'0000'0000,
                                           ~0ull,
                                           ~1ull,
                                           ~2ull,
                                           ~0x7Full,
                                           ~0x7FFFull,
                                           ~0x7FFF'FFFEull,
                                           ~0x7FFF'FFFF'FFFF'FFFEull,
                                           0x5555'5555'5555'5555};
    if (edge) return pick(kEdges) & mask;
    return (r >> (h >> 8) % static_cast<unsigned>(bits)) & mask;
}

inline std::string register_of(const std::string& type) {
    if (type == "pred") return ".pred";
    const int bits = bits_of(type);
    return bits <= 16 ? ".b16" : bits == 32 ? ".b32" : ".b64";
}

// One kernel a case, "case_N": params (inputs: u64[3][kSamples], results: u64[2][kSamples]).
inline std::string ptx(const std::vector<Case>& cases, std::size_t first, std::size_t last) {
    std::ostringstream out;
    out << ".version 8.5\n.target sm_90\n.address_size 64\n";
    for (std::size_t n = first; n < last; ++n) {
        const Case& c = cases[n];
        out << ".visible .entry case_" << n << "(.param .u64 p_in, .param .u64 p_out)\n{\n"
            << ".reg .b64 %in, %out, %at, %x, %w0, %w1, %w2, %r, %s;\n.reg .b32 %t, %e, %n, %m, %k;\n.reg .pred %p, "
               "%q;\n"
            << ".reg .b32 %h0, %h1;\n.reg .b16 %g0, %g1;\n";
        const char* names[] = {"%a", "%b", "%c"};
        for (std::size_t k = 0; k < c.inputs.size(); ++k)
            out << ".reg " << register_of(c.inputs[k]) << " " << names[k] << ";\n";
        out << ".reg " << register_of(c.result) << " %d;\n"
            << "ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\n"
            << "mov.u32 %t, %tid.x;\nmov.u32 %n, %ctaid.x;\nmov.u32 %m, %ntid.x;\nmad.lo.u32 %t, %n, %m, %t;\n"
            << "mul.wide.u32 %x, %t, 8;\nadd.u64 %in, %in, %x;\nadd.u64 %out, %out, %x;\nmov.u32 %e, 0;\n";
        for (std::size_t k = 0; k < c.inputs.size(); ++k) {
            out << "ld.global.u64 %w" << k << ", [%in+" << k * kSamples * 8 << "];\n";
            const std::string reg = register_of(c.inputs[k]);
            if (reg == ".b64")
                out << "mov.b64 " << names[k] << ", %w" << k << ";\n";
            else if (reg == ".b32")
                out << "mov.b64 {" << names[k] << ", %h1}, %w" << k << ";\n";
            else if (reg == ".b16")
                out << "mov.b64 {%h0, %h1}, %w" << k << ";\nmov.b32 {" << names[k] << ", %g1}, %h0;\n";
            else
                out << "setp.ne.u64 " << names[k] << ", %w" << k << ", 0;\n";
        }
        out << c.body << "\n";
        const std::string reg = register_of(c.result);
        if (reg == ".b64")
            out << "mov.b64 %r, %d;\n";
        else if (reg == ".b32")
            out << "mov.u32 %h1, 0;\nmov.b64 %r, {%d, %h1};\n";
        else if (reg == ".b16")
            out << "mov.u32 %h1, 0;\nmov.u16 %g1, 0;\nmov.b32 %h0, {%d, %g1};\nmov.b64 %r, {%h0, %h1};\n";
        else
            out << "selp.b64 %r, 1, 0, %d;\n";
        out << "st.global.u64 [%out], %r;\ncvt.u64.u32 %s, %e;\nst.global.u64 [%out+" << kSamples * 8
            << "], %s;\nret;\n}\n";
    }
    return out.str();
}

inline std::uint64_t hash(const std::vector<std::uint64_t>& values) {
    std::uint64_t h = 0;
    for (std::uint64_t v : values) h = mix(h ^ v);
    return h;
}

// exec_instruction_cases.cc. The differential test's kernels are made of the first; what a GPU gives for the others is
// not recorded yet.
std::vector<Case> all_cases();
std::vector<Case> unmeasured_cases();

}  // namespace vgpu::cases
