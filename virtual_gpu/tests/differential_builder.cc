#include "differential_builder.h"

#include <cctype>

namespace vgpu::differential {

using cases::bits_of;

Builder::Builder(std::string name, std::uint64_t seed) : random(seed + other_seed() * 1'000'003) {
    kernel_.name = std::move(name);
}

std::string Builder::fresh(int bits) { return "%i" + text(bits) + "_" + text(counts_[bits]++); }

void Builder::shape(int blocks, int threads) {
    kernel_.blocks = blocks;
    kernel_.threads = threads;
}

namespace {
int register_bits(const std::string& type) {
    const int bits = bits_of(type);
    return bits == 8 ? 16 : bits;
}
}  // namespace

std::string Builder::input(const std::string& type) {
    const std::string at = "[%in+" + text(static_cast<int>(kernel_.types.size()) * kRows * 8) + "]";
    kernel_.types.push_back(type);
    const std::string reg = fresh(register_bits(type));
    if (bits_of(type) == 1) {
        line("ld.global.u32 %h0, " + at + ";");
        line("setp.ne.u32 " + reg + ", %h0, 0;");
    } else {
        line("ld.global.b" + text(register_bits(type)) + " " + reg + ", " + at + ";");
    }
    offer(reg, type);
    return reg;
}

void Builder::keep(const std::string& reg, const std::string& type) {
    const std::string at = "[%out+" + text(kernel_.slots * kRows * 8) + "]";
    ++kernel_.slots;
    if (bits_of(type) == 1) {
        line("selp.u32 %h0, 1, 0, " + reg + ";");
        line("st.global.u32 " + at + ", %h0;");
    } else {
        line("st.global.b" + text(register_bits(type)) + " " + at + ", " + reg + ";");
    }
}

std::string Builder::value(const std::string& type, int fresh_percent) {
    std::vector<std::string> same, fits;
    for (const auto& [reg, t] : pool_) {
        if (t == type) same.push_back(reg);
        if (register_bits(t) == register_bits(type)) fits.push_back(reg);
    }
    const bool more = !sealed_ && kernel_.types.size() < kMaxInputs;
    if (more && (fits.empty() || (same.empty() && random.chance(70)) || random.chance(fresh_percent)))
        return input(type);
    if (!same.empty() && random.chance(75)) return random.pick(same);
    if (!fits.empty()) return random.pick(fits);
    // No input is left: some other value, resized.
    const std::string reg = fresh(register_bits(type));
    if (bits_of(type) == 1)
        line("setp.gt.u32 " + reg + ", %t, 800;");
    else
        line("mov.b" + text(register_bits(type)) + " " + reg + ", " + immediate("u" + text(register_bits(type))) + ";");
    if (!sealed_) offer(reg, type);
    return reg;
}

std::string Builder::immediate(const std::string& type) {
    const std::uint64_t v = cases::input(type, 17, random.below(2048));
    const std::string digits = hex(v).substr(2);
    if (type == "f32") return "0f" + std::string(8 - digits.size(), '0') + digits;
    if (type == "f64") return "0d" + std::string(16 - digits.size(), '0') + digits;
    if (type[0] == 's' && bits_of(type) == 32) return text(static_cast<int>(static_cast<std::uint32_t>(v)));
    if (type[0] == 's' && bits_of(type) == 16) return text(static_cast<std::int16_t>(static_cast<std::uint16_t>(v)));
    return hex(v);
}

std::string Builder::apply(const cases::Case& c, const std::string& to, const std::string& guard) {
    std::map<std::string, std::string> names;
    const std::string letters[] = {"%a", "%b", "%c"};
    const bool limited = c.name.rfind("bf", 0) == 0;  // fields: places and lengths of at most 255
    const int replaced = is_single(c) && c.inputs.size() > 1 && !limited && random.chance(20)
                             ? random.below(static_cast<int>(c.inputs.size()))
                             : -1;
    for (std::size_t k = 0; k < c.inputs.size(); ++k) {
        const std::string& type = c.inputs[k];
        const bool plain = type.find("f16") == std::string::npos && bits_of(type) >= 16;
        names[letters[k]] = static_cast<int>(k) == replaced && plain && c.name.find("x2") == std::string::npos
                                ? immediate(type)
                                : value(type);
    }
    const std::string result = to.empty() ? fresh(register_bits(c.result)) : to;
    names["%d"] = result;
    if (!is_single(c)) {  // it may change its operands, which others use
        for (std::size_t k = 0; k < c.inputs.size(); ++k) {
            const int bits = register_bits(c.inputs[k]);
            const std::string copy = fresh(bits);
            line("mov." + (bits == 1 ? std::string("pred") : "b" + text(bits)) + " " + copy + ", " + names[letters[k]] +
                 ";");
            names[letters[k]] = copy;
        }
    }
    std::string out = guard;
    for (std::size_t at = 0; at < c.body.size();) {
        if (c.body[at] != '%') {
            out += c.body[at++];
            continue;
        }
        std::size_t end = at + 1;
        while (end < c.body.size() && (std::isalnum(static_cast<unsigned char>(c.body[end])) || c.body[end] == '_'))
            ++end;
        const std::string token = c.body.substr(at, end - at);
        out += names.contains(token) ? names[token] : token;
        at = end;
    }
    line(out);
    return result;
}

Kernel Builder::finish() {
    std::ostringstream out;
    out << before_.str() << ".visible .entry " << kernel_.name
        << "(.param .u64 p_in, .param .u64 p_out, .param .u64 p_scratch"
        << (kernel_.takes_struct ? ", .param .align 16 .b8 p_struct[64]" : "") << ")\n{\n"
        << ".reg .b64 %in, %out, %at, %scratch, %x, %r, %s;\n.reg .b32 %t, %row, %e, %n, %m, %k, %h0, %h1;\n"
        << ".reg .b16 %g0, %g1;\n.reg .pred %p, %q;\n";
    for (const auto& [bits, count] : counts_)
        out << ".reg ." << (bits == 1 ? "pred" : "b" + text(bits)) << " %i" << bits << "_<" << count << ">;\n";
    out << "ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\nld.param.u64 %scratch, [p_scratch];\n"
        << "mov.u32 %row, %tid.x;\nmov.u32 %n, %ctaid.x;\nmov.u32 %m, %ntid.x;\nmad.lo.u32 %row, %n, %m, %row;\n"
        << "mul.wide.u32 %x, %row, 8;\nadd.u64 %in, %in, %x;\nadd.u64 %out, %out, %x;\nshl.b32 %t, %row, 5;\n"
        << "mov.u32 %e, 0;\nmov.u32 %k, 0;\n"
        << body_.str() << "ret;\n}\n";
    kernel_.text = out.str();
    return std::move(kernel_);
}

// ---- the vocabulary ----
namespace {

using cases::Case;
using Strings = std::vector<std::string>;

void add(std::vector<Case>& l, const std::string& op, const std::string& result, const Strings& inputs) {
    std::string body = op + " %d";
    const char* names[] = {", %a", ", %b", ", %c"};
    for (std::size_t k = 0; k < inputs.size(); ++k) body += names[k];
    l.push_back({op, body + ";", result, inputs});
}

void more(std::vector<Case>& l) {
    const Strings roundings{".rn", ".rz", ".rm", ".rp"}, whole{".rni", ".rzi", ".rmi", ".rpi"};
    for (const std::string t : {"b16", "b32", "b64"})
        for (const std::string c : {"eq", "ne"})
            add(l, "setp." + c + "." + t, "pred", {"u" + t.substr(1), "u" + t.substr(1)});
    for (const std::string c : {"eq", "ne", "lt", "ge", "leu", "nan", "num"}) {
        for (const std::string t : {"f32", "f64"})
            for (const std::string r : {"u32", "s32", "f32"}) add(l, "set." + c + "." + r + "." + t, r, {t, t});
        add(l, "set." + c + ".ftz.f32.f32", "f32", {"f32", "f32"});
        for (const std::string t : {"f16", "bf16"}) add(l, "setp." + c + "." + t, "pred", {t, t});
        add(l, "setp." + c + ".ftz.f16", "pred", {"f16", "f16"});
    }
    for (const std::string t : {"u32", "s32", "u64", "f32", "f64"})
        for (const std::string op : {"and", "or", "xor"})
            l.push_back(
                {"setp.le." + op + "." + t, "setp.le." + op + "." + t + " %d, %a, %b, %c;", "pred", {t, t, "pred"}});
    for (const std::string op : {"and", "or", "xor"}) add(l, op + ".pred", "pred", {"pred", "pred"});
    add(l, "not.pred", "pred", {"pred"});
    add(l, "mov.pred", "pred", {"pred"});
    for (const std::string t : {"f32", "f64", "b16", "b32", "b64"}) {
        const std::string v = t[0] == 'b' ? "u" + t.substr(1) : t;
        add(l, "selp." + t, v, {v, v, "pred"});
        if (t[0] == 'f') add(l, "slct." + t + ".s32", v, {v, v, "s32"});
        if (t[0] == 'f') add(l, "slct." + t + ".f32", v, {v, v, "f32"});
    }
    add(l, "slct.ftz.u32.f32", "u32", {"u32", "u32", "f32"});
    add(l, "slct.ftz.f32.f32", "f32", {"f32", "f32", "f32"});
    for (int table = 3; table < 256; table += 23)
        l.push_back({"lop3.b32",
                     "lop3.b32 %d, %a, %b, %c, " + hex(static_cast<std::uint64_t>(table)) + ";",
                     "u32",
                     {"u32", "u32", "u32"}});
    for (const std::string u : {"u32", "u64", "s32", "s64"}) {
        l.push_back({"carry of three " + u,
                     "add.cc." + u + " %d, %a, %b;\naddc.cc." + u + " %d, %d, %c;\naddc.cc." + u +
                         " %d, %d, %a;\naddc." + u + " %d, %d, %b;",
                     u,
                     {u, u, u}});
        l.push_back({"borrow of three " + u,
                     "sub.cc." + u + " %d, %a, %b;\nsubc.cc." + u + " %d, %c, %d;\nsubc.cc." + u +
                         " %d, %d, %a;\nsubc." + u + " %d, %d, %b;",
                     u,
                     {u, u, u}});
        l.push_back({"long product " + u,
                     "mul.lo." + u + " %d, %a, %b;\nmad.lo.cc." + u + " %d, %d, %c, %b;\nmadc.hi.cc." + u +
                         " %d, %a, %c, %d;\nmadc.lo.cc." + u + " %d, %a, %d, %c;\naddc." + u + " %d, %d, 0;",
                     u,
                     {u, u, u}});
    }
    l.push_back({"mov halves", "mov.b32 {%g0, %g1}, %a;\nmov.b32 %d, {%g1, %b};", "u32", {"u32", "u16"}});
    for (const std::string t : {"f16", "f16x2"}) {
        for (const std::string op : {"add", "sub", "mul"})
            for (const std::string e : {".rn.ftz", ".rn.sat", ".rn.ftz.sat"}) add(l, op + e + "." + t, t, {t, t});
        add(l, "fma.rn.ftz.sat." + t, t, {t, t, t});
        add(l, "fma.rn.ftz.relu." + t, t, {t, t, t});
        for (const std::string op : {"min.ftz.", "max.ftz.NaN."}) add(l, op + t, t, {t, t});
        for (const std::string op : {"abs.ftz.", "neg.ftz."}) add(l, op + t, t, {t});
    }
    for (const std::string& r : roundings) {
        for (const std::string f : {"f32", "f64"})
            for (const std::string i : {"u32", "s32", "u64", "s64", "u16", "s16"})
                add(l, "cvt" + r + "." + f + "." + i, f, {i});
        add(l, "cvt" + r + ".sat.f32.s32", "f32", {"s32"});
        add(l, "cvt" + r + ".ftz.sat.f32.f64", "f32", {"f64"});
        add(l, "cvt" + r + ".bf16.u32", "bf16", {"u32"});
        add(l, "cvt" + r + ".bf16.s64", "bf16", {"s64"});
        add(l, "cvt" + r + ".f16.bf16", "f16", {"bf16"});
        add(l, "cvt" + r + ".bf16.f16", "bf16", {"f16"});
        add(l, "cvt" + r + ".bf16.f64", "bf16", {"f64"});
    }
    for (const std::string& r : whole) {
        for (const std::string i : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
            for (const std::string f : {"f32", "f64", "f16", "bf16"}) add(l, "cvt" + r + "." + i + "." + f, i, {f});
            add(l, "cvt" + r + ".sat." + i + ".f64", i, {"f64"});
            add(l, "cvt" + r + ".ftz.sat." + i + ".f32", i, {"f32"});
        }
        for (const std::string e : {"", ".ftz", ".sat", ".ftz.sat"}) add(l, "cvt" + r + e + ".f32.f32", "f32", {"f32"});
        add(l, "cvt" + r + ".sat.f64.f64", "f64", {"f64"});
    }
    for (const std::string r : {".rn", ".rz"})
        for (const std::string e : {"", ".relu"})
            for (const std::string t : {"f16", "bf16"}) {
                add(l, "cvt" + r + e + "." + t + ".f32", t, {"f32"});
                add(l, "cvt" + r + e + "." + t + "x2.f32", t + "x2", {"f32", "f32"});
            }
    add(l, "cvt.f64.bf16", "f64", {"bf16"});
    add(l, "cvt.sat.f16.f16", "f16", {"f16"});
    add(l, "cvt.ftz.f64.f32", "f64", {"f32"});
    add(l, "cvt.sat.f64.f64", "f64", {"f64"});
}

// cvt.sat to a type that holds all values is refused.
bool saturates_in_vain(const Case& c) {
    if (c.name.rfind("cvt.sat.", 0) != 0) return false;
    const std::size_t dot = c.name.find('.', 8);
    const std::string to = c.name.substr(8, dot - 8), from = c.name.substr(dot + 1);
    if (to[0] == 'f' || from[0] == 'f' || to[0] == 'b' || from[0] == 'b') return false;
    return cases::bits_of(to) > cases::bits_of(from) && !(to[0] == 'u' && from[0] == 's');
}

}  // namespace

const std::vector<cases::Case>& vocabulary() {
    static const std::vector<Case> all = [] {
        std::vector<Case> l;
        for (Case& c : cases::all_cases()) {
            // Memory goes elsewhere; a product without rounding may be fused with a sum.
            if (c.body.find("%in") != std::string::npos || saturates_in_vain(c)) continue;
            const bool half = c.result.find("f16") != std::string::npos;
            const std::string op = c.name.substr(0, 4);
            if (half && (op == "add." || op == "sub." || op == "mul.") && c.name.find(".rn") == std::string::npos)
                continue;
            l.push_back(c);
        }
        more(l);
        return l;
    }();
    return all;
}

}  // namespace vgpu::differential
