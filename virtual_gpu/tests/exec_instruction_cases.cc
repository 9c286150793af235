#include "exec_instruction_cases.h"

namespace vgpu::cases {
namespace {

using Strings = std::vector<std::string>;

struct List {
    std::vector<Case> cases;

    // "add.s32" becomes "add.s32 %d, %a, %b;"
    void add(const std::string& op, const std::string& result, const Strings& inputs) {
        std::string body = op + " %d";
        const char* names[] = {", %a", ", %b", ", %c"};
        for (std::size_t k = 0; k < inputs.size(); ++k) body += names[k];
        cases.push_back({op, body + ";", result, inputs});
    }
    void text(const std::string& name, const std::string& body, const std::string& result, const Strings& inputs) {
        cases.push_back({name, body, result, inputs});
    }
};

void integers(List& l) {
    for (const std::string t : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
        for (const std::string op : {"add.", "sub.", "min.", "max.", "div.", "rem.", "mul.lo.", "mul.hi."}) {
            // Division by zero has no fixed result.
            if (op == "div." || op == "rem.")
                l.text(op + t, "or.b" + t.substr(1) + " %b, %b, 1;\n" + op + t + " %d, %a, %b;", t, {t, t});
            else
                l.add(op + t, t, {t, t});
        }
        l.add("mad.lo." + t, t, {t, t, t});
        l.add("mad.hi." + t, t, {t, t, t});
        l.add("sad." + t, t, {t, t, t});
        for (const std::string c : {"eq", "ne", "lt", "le", "gt", "ge"}) {
            l.add("setp." + c + "." + t, "pred", {t, t});
            l.add("set." + c + ".u32." + t, "u32", {t, t});
        }
        l.text("setp.lt.and." + t,
               "setp.gt.u32 %q, %t, 700;\nsetp.lt.and." + t + " %d|%p, %a, %b, !%q;\nselp.u32 %e, 1, 0, %p;", "pred",
               {t, t});
        l.text("setp.ge.xor." + t,
               "setp.gt.u32 %q, %t, 700;\nsetp.ge.xor." + t + " %d|%p, %a, %b, %q;\nselp.u32 %e, 1, 0, %p;", "pred",
               {t, t});
        l.text("selp." + t, "setp.gt.u32 %q, %t, 700;\nselp." + t + " %d, %a, %b, %q;", t, {t, t});
        l.add("slct." + t + ".s32", t, {t, t, "s32"});
        l.add("slct." + t + ".f32", t, {t, t, "f32"});
        l.add("shr." + t, t, {t, "u32"});
        if (t[0] == 's') {
            l.add("abs." + t, t, {t});
            l.add("neg." + t, t, {t});
        }
    }
    for (const std::string t : {"u16", "s16", "u32", "s32"}) {
        const std::string wide = t.substr(0, 1) + (t.ends_with("16") ? "32" : "64");
        l.add("mul.wide." + t, wide, {t, t});
        l.add("mad.wide." + t, wide, {t, t, wide});
    }
    for (const std::string t : {"u32", "s32"}) {
        for (const std::string part : {"lo.", "hi."}) {
            l.add("mul24." + part + t, t, {t, t});
            l.add("mad24." + part + t, t, {t, t, t});
        }
        for (const std::string u : {"u32", "s32"}) {
            l.add("dp4a." + t + "." + u, t == "s32" || u == "s32" ? "s32" : "u32", {t, u, "s32"});
            l.add("dp2a.lo." + t + "." + u, "s32", {t, u, "s32"});
            l.add("dp2a.hi." + t + "." + u, "s32", {t, u, "s32"});
        }
        l.add("bfe." + t, t, {t, "u32", "u32"});
        l.add("bfe." + t.substr(0, 1) + "64", t.substr(0, 1) + "64", {t.substr(0, 1) + "64", "u32", "u32"});
        for (const std::string w : {"32", "64"}) {
            l.add("bfind." + t.substr(0, 1) + w, "u32", {t.substr(0, 1) + w});
            l.add("bfind.shiftamt." + t.substr(0, 1) + w, "u32", {t.substr(0, 1) + w});
        }
        l.add("szext.clamp." + t, t, {t, "u32"});
        l.add("szext.wrap." + t, t, {t, "u32"});
        for (const std::string c : {"lo", "ls", "hi", "hs"})
            if (t == "u32") l.add("setp." + c + "." + t, "pred", {t, t});
    }
    l.add("add.sat.s32", "s32", {"s32", "s32"});
    l.add("sub.sat.s32", "s32", {"s32", "s32"});
    l.add("mad.hi.sat.s32", "s32", {"s32", "s32", "s32"});
    l.add("mad24.hi.sat.s32", "s32", {"s32", "s32", "s32"});
    l.add("min.relu.s32", "s32", {"s32", "s32"});
    l.add("max.relu.s32", "s32", {"s32", "s32"});
    for (const std::string t : {"u16x2", "s16x2"})
        for (const std::string op : {"add.", "min.", "max."}) l.add(op + t, "u32", {"u32", "u32"});
    for (const std::string w : {"32", "64"}) {
        const std::string u = "u" + w;
        l.text("add.cc chain " + u, "add.cc." + u + " %d, %a, %b;\naddc.cc." + u + " %d, %d, %c;\naddc.u32 %e, 0, 0;",
               u, {u, u, u});
        l.text("sub.cc chain " + u, "sub.cc." + u + " %d, %a, %b;\nsubc.cc." + u + " %d, %d, %c;\nsubc.u32 %e, 0, 0;",
               u, {u, u, u});
        l.text("mad.lo.cc " + u, "mad.lo.cc." + u + " %d, %a, %b, %c;\nmadc.hi." + u + " %d, %a, %b, %d;", u,
               {u, u, u});
        l.text("mad.hi.cc " + u, "mad.hi.cc." + u + " %d, %a, %b, %c;\naddc.u32 %e, 0, 0;", u, {u, u, u});
    }
}

void bits(List& l) {
    for (const std::string w : {"16", "32", "64"}) {
        const std::string b = "b" + w, u = "u" + w;
        for (const std::string op : {"and.", "or.", "xor."}) l.add(op + b, u, {u, u});
        l.add("not." + b, u, {u});
        l.add("cnot." + b, u, {u});
        l.add("shl." + b, u, {u, "u32"});
        l.add("shr." + b, u, {u, "u32"});
        if (w == "16") continue;
        l.add("popc." + b, "u32", {u});
        l.add("clz." + b, "u32", {u});
        l.add("brev." + b, u, {u});
        l.text("bfi." + b, "bfi." + b + " %d, %a, %b, %c, %t;", u, {u, u, "u32"});
    }
    for (const std::string side : {"l", "r"})
        for (const std::string mode : {"clamp", "wrap"})
            l.add("shf." + side + "." + mode + ".b32", "u32", {"u32", "u32", "u32"});
    for (int table : {0x00, 0x01, 0x1E, 0x69, 0x80, 0x96, 0xCA, 0xE8, 0xFE, 0xFF, 0x2D})
        l.text("lop3.b32 " + std::to_string(table), "lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";", "u32",
               {"u32", "u32", "u32"});
    for (const std::string mode : {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"})
        l.add("prmt.b32" + mode, "u32", {"u32", "u32", "u32"});
    l.add("bmsk.clamp.b32", "u32", {"u32", "u32"});
    l.add("bmsk.wrap.b32", "u32", {"u32", "u32"});
    l.text("fns.b32", "rem.u32 %b, %b, 40;\nand.b32 %b, %b, 31;\nrem.s32 %c, %c, 12;\nfns.b32 %d, %a, %b, %c;", "u32",
           {"u32", "u32", "s32"});
    l.text("predicates",
           "setp.lt.u32 %p, %a, %b;\nsetp.gt.u32 %q, %t, 900;\nand.pred %p, %p, %q;\nxor.pred %p, %p, %q;\nnot.pred "
           "%q, %q;\nor.pred %d, %p, %q;",
           "pred", {"u32", "u32"});
}

void floats(List& l) {
    for (const std::string t : {"f32", "f64"}) {
        const Strings ends = t == "f32" ? Strings{"", ".ftz", ".sat", ".ftz.sat"} : Strings{""};
        for (const std::string r : {".rn", ".rz", ".rm", ".rp"}) {
            for (const std::string& e : ends) {
                for (const std::string op : {"add", "sub", "mul"}) l.add(op + r + e + "." + t, t, {t, t});
                l.add("fma" + r + e + "." + t, t, {t, t, t});
            }
            for (const std::string& e : t == "f32" ? Strings{"", ".ftz"} : Strings{""}) {
                l.add("div" + r + e + "." + t, t, {t, t});
                l.add("rcp" + r + e + "." + t, t, {t});
                l.add("sqrt" + r + e + "." + t, t, {t});
            }
        }
        for (const std::string& e : t == "f32" ? Strings{"", ".ftz"} : Strings{""}) {
            l.add("min" + e + "." + t, t, {t, t});
            l.add("max" + e + "." + t, t, {t, t});
            l.add("abs" + e + "." + t, t, {t});
            l.add("neg" + e + "." + t, t, {t});
            for (const std::string c :
                 {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"})
                l.add("setp." + c + e + "." + t, "pred", {t, t});
        }
        l.add("copysign." + t, t, {t, t});
        l.add("set.lt.f32." + t, "f32", {t, t});
        for (const std::string p : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
            l.add("testp." + p + "." + t, "pred", {t});
    }
    for (const std::string op : {"min", "max"})
        for (const std::string e : {".NaN", ".ftz.NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
            l.add(op + e + ".f32", "f32", {"f32", "f32"});
}

void halves(List& l) {
    for (const std::string t : {"f16", "f16x2", "bf16", "bf16x2"}) {
        const bool half = t[0] == 'f';
        const Strings in2{t, t}, in3{t, t, t};
        for (const std::string op : {"add", "sub", "mul"})
            for (const std::string& e : half ? Strings{"", ".rn", ".ftz", ".sat"} : Strings{".rn"})
                l.add(op + e + "." + t, t, in2);
        for (const std::string& e : half ? Strings{"", ".ftz", ".sat", ".relu"} : Strings{"", ".relu"})
            l.add("fma.rn" + e + "." + t, t, in3);
        for (const std::string op : {"min", "max"})
            for (const std::string e : {"", ".NaN"}) l.add(op + e + "." + t, t, in2);
        l.add("abs." + t, t, {t});
        l.add("neg." + t, t, {t});
        if (t == "f16" || t == "bf16")
            for (const std::string c : {"eq", "ne", "lt", "gtu", "num", "nan"})
                l.add("setp." + c + "." + t, "pred", in2);
    }
}

void conversions(List& l) {
    const Strings integers{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
    const auto column = [](const std::string& t) { return t.ends_with("8") ? t.substr(0, 1) + "16" : t; };
    for (const auto& to : integers)
        for (const auto& from : integers) {
            if (to == from) continue;
            l.add("cvt." + to + "." + from, column(to), {column(from)});
            l.add("cvt.sat." + to + "." + from, column(to), {column(from)});
        }
    for (const std::string f : {"f32", "f64", "f16"})
        for (const auto& i : integers) {
            for (const std::string r : {".rn", ".rz", ".rm", ".rp"})
                l.add("cvt" + r + "." + f + "." + i, f, {column(i)});
            for (const std::string r : {".rni", ".rzi", ".rmi", ".rpi"}) {
                l.add("cvt" + r + "." + i + "." + f, column(i), {f});
                if (f == "f32") l.add("cvt" + r + ".ftz." + i + "." + f, column(i), {f});
            }
        }
    for (const std::string r : {".rn", ".rz", ".rm", ".rp"}) {
        for (const std::string e : {"", ".ftz", ".sat"}) l.add("cvt" + r + e + ".f32.f64", "f32", {"f64"});
        l.add("cvt" + r + ".f16.f64", "f16", {"f64"});
    }
    for (const std::string r : {".rn", ".rz"}) {
        l.add("cvt" + r + ".f16.f32", "f16", {"f32"});
        l.add("cvt" + r + ".bf16.f32", "bf16", {"f32"});
        l.add("cvt" + r + ".f16x2.f32", "f16x2", {"f32", "f32"});
        l.add("cvt" + r + ".bf16x2.f32", "bf16x2", {"f32", "f32"});
        l.add("cvt" + r + ".relu.f16.f32", "f16", {"f32"});
    }
    l.add("cvt.rn.sat.f16.f32", "f16", {"f32"});
    for (const std::string e : {"", ".sat", ".ftz"}) l.add("cvt" + e + ".f64.f32", "f64", {"f32"});
    l.add("cvt.f32.f16", "f32", {"f16"});
    l.add("cvt.sat.f32.f16", "f32", {"f16"});
    l.add("cvt.f64.f16", "f64", {"f16"});
    l.add("cvt.f32.bf16", "f32", {"bf16"});
    for (const std::string r : {".rni", ".rzi", ".rmi", ".rpi"}) {
        for (const std::string e : {"", ".ftz", ".sat"}) l.add("cvt" + r + e + ".f32.f32", "f32", {"f32"});
        l.add("cvt" + r + ".f64.f64", "f64", {"f64"});
        l.add("cvt" + r + ".f16.f16", "f16", {"f16"});
    }
    l.add("cvt.ftz.f32.f32", "f32", {"f32"});
    l.add("cvt.sat.f32.f32", "f32", {"f32"});
    l.text("cvt.s32.s8 of a wide register", "cvt.s32.s8 %d, %a;", "s32", {"u32"});
    l.text("cvt.u64.u16 of a wide register", "cvt.u64.u16 %d, %a;", "u64", {"u32"});
    l.text("cvt.s64.s8 to a wide register", "cvt.s64.s8 %d, %a;", "s64", {"u64"});
}

void warp(List& l) {
    for (const std::string m : {"up", "down", "bfly", "idx"}) {
        l.text("shfl.sync." + m,
               "and.b32 %b, %b, 31;\nshr.u32 %n, %t, 5;\nrem.u32 %n, %n, 5;\nmov.u32 %k, 32;\nshr.u32 %k, %k, %n;\n"
               "sub.u32 %k, 32, %k;\nshl.b32 %k, %k, 8;\n" +
                   std::string(m == "up" ? "" : "or.b32 %k, %k, 31;\n") + "shfl.sync." + m +
                   ".b32 %d|%p, %a, %b, %k, -1;\nselp.u32 %e, 1, 0, %p;",
               "u32", {"u32", "u32"});
        l.text("shfl.sync." + m + " by one",
               "shfl.sync." + m + ".b32 %d|%p, %a, 1, " + (m == "up" ? "0" : "31") + ", -1;\nselp.u32 %e, 1, 0, %p;",
               "u32", {"u32"});
    }
    for (const std::string m : {"all", "any", "uni"})
        l.text("vote.sync." + m, "setp.lt.u32 %p, %a, 0xFFFFFFF0;\nvote.sync." + m + ".pred %d, %p, -1;", "pred",
               {"u32"});
    l.text("vote.sync.ballot",
           "setp.lt.u32 %p, %a, %b;\nvote.sync.ballot.b32 %d, %p, -1;\nvote.sync.ballot.b32 %e, !%p, -1;", "u32",
           {"u32", "u32"});
    l.text("match.any.sync.b32", "rem.u32 %a, %a, 5;\nmatch.any.sync.b32 %d, %a, -1;", "u32", {"u32"});
    l.text("match.any.sync.b64", "rem.u64 %a, %a, 5;\nmatch.any.sync.b64 %d, %a, -1;", "u32", {"u64"});
    l.text("match.all.sync.b32",
           "shr.u32 %n, %t, 5;\nrem.u32 %n, %n, 3;\nmul.lo.u32 %a, %a, %n;\nmatch.all.sync.b32 %d|%p, %a, "
           "-1;\nselp.u32 %e, 1, 0, %p;",
           "u32", {"u32"});
    for (const std::string m :
         {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"})
        l.text("redux.sync." + m, "redux.sync." + m + " %d, %a, -1;", "u32", {"u32"});
    l.text("elect.sync", "elect.sync %d|%p, -1;\nselp.u32 %e, 1, 0, %p;", "u32", {"u32"});
    l.text("activemask in a branch",
           "mov.u32 %d, 0;\nsetp.lt.u32 %p, %a, %b;\nvote.sync.ballot.b32 %e, %p, -1;\n@%p activemask.b32 %d;", "u32",
           {"u32", "u32"});
    l.text("lanes",
           "mov.u32 %d, %lanemask_lt;\nmov.u32 %n, %lanemask_ge;\nmov.u32 %k, %laneid;\nxor.b32 %d, %d, %n;\nmov.u32 "
           "%n, %lanemask_le;\n"
           "mul.lo.u32 %e, %n, %k;\nmov.u32 %n, %lanemask_eq;\nadd.u32 %e, %e, %n;\nmov.u32 %n, %lanemask_gt;\nxor.b32 "
           "%e, %e, %n;",
           "u32", {"u32"});
}

void moves(List& l) {
    l.text("mov.b64 pack 4", "mov.b32 {%g0, %g1}, %a;\nmov.b64 %d, {%g1, %g0, %b, %g1};", "u64", {"u32", "u16"});
    l.text("mov.b64 unpack", "mov.b64 {%h0, %h1}, %a;\nmov.b64 %d, {%h1, %h0};", "u64", {"u64"});
    l.text("vector memory",
           "add.u64 %at, %in, 0;\nand.b64 %at, %at, -16;\nld.global.v2.u64 {%r, %s}, [%at];\nadd.u64 %d, %r, "
           "%s;\nld.global.v4.u32 {%h0, %h1, %n, %m}, [%at];\n"
           "xor.b32 %e, %h0, %m;\nadd.u32 %e, %e, %n;",
           "u64", {"u64"});
    l.text("narrow memory",
           "ld.global.s8 %h0, [%in+3];\nld.global.u8 %h1, [%in+1];\nld.global.s16 %g0, [%in+2];\nld.global.u16 %n, "
           "[%in+4];\n"
           "cvt.s32.s16 %m, %g0;\nmad.lo.u32 %d, %h0, %h1, %n;\nadd.u32 %e, %m, %d;",
           "u32", {"u64"});
}

// 8-bit floats in pairs.
void small_floats(List& l) {
    for (const std::string t : {"e4m3x2", "e5m2x2"})
        for (const std::string relu : {"", ".relu"}) {
            const std::string narrow = "cvt.rn.satfinite" + relu + "." + t;
            l.text(narrow + ".f32", narrow + ".f32 %g0, %a, %b;\ncvt.u32.u16 %d, %g0;", "u32", {"f32", "f32"});
            l.text(narrow + ".f16x2", narrow + ".f16x2 %g0, %a;\ncvt.u32.u16 %d, %g0;", "u32", {"f16x2"});
            const std::string widen = "cvt.rn" + relu + ".f16x2." + t;
            l.text(widen, "cvt.u16.u32 %g0, %a;\n" + widen + " %d, %g0;", "u32", {"u32"});
        }
}

// 128 bits at once, and 8x8 matrices. A warp has 512 bytes of shared memory; %at is where its lane's row begins.
void wide(List& l) {
    const std::string address =
        ".shared .align 16 .b8 tile[4096];\nmov.u32 %n, tile;\nshl.b32 %k, %t, 4;\nand.b32 %k, %k, 4095;\n"
        "add.u32 %n, %n, %k;\n";
    const std::string quad = "st.shared.v4.u32 [%n], {%a, %b, %c, %t};\nbar.warp.sync -1;\n";
    l.text("mov.b128",
           "{.reg .b128 q, p;\nmov.b128 q, {%a, %b};\nmov.b128 p, q;\nmov.b128 {%r, %s}, p;\n"
           "sub.u64 %d, %r, %s;}",
           "u64", {"u64", "u64"});
    l.text("ld.shared.b128",
           "{.reg .b128 q;\n" + address + quad +
               "ld.shared.b128 q, [%n];\n"
               "mov.b128 {%r, %s}, q;\nmad.lo.u64 %d, %s, 3, %r;}",
           "u64", {"u32", "u32", "u32"});
    l.text("atom.shared.cas.b128",
           "{.reg .b128 q, p, o;\n" + address + quad +
               "mov.b64 %r, {%a, %b};\n"
               "mov.b64 %s, {%c, %t};\nmov.b128 p, {%r, %s};\nmov.b128 o, {%s, %r};\n"
               "atom.shared.cas.b128 q, [%n], p, o;\natom.shared.exch.b128 o, [%n], q;\n"
               "mov.b128 {%r, %s}, o;\nmad.lo.u64 %d, %s, 3, %r;}",
           "u64", {"u32", "u32", "u32"});
    for (const std::string trans : {"", ".trans"}) {
        const struct {
            std::string x, list, sum;
        } rows[] = {{".x1", "{%h0}", "mov.u32 %d, %h0;\nmov.u32 %e, 0;"},
                    {".x2", "{%h0, %h1}", "mov.u32 %d, %h0;\nmov.u32 %e, %h1;"},
                    {".x4", "{%h0, %h1, %m, %k}", "mad.lo.u32 %d, %h0, 3, %h1;\nmad.lo.u32 %e, %m, 3, %k;"}};
        for (const auto& row : rows) {
            l.text("ldmatrix" + row.x + trans,
                   "{" + address + quad + "ldmatrix.sync.aligned.m8n8" + row.x + trans + ".shared.b16 " + row.list +
                       ", [%n];\n" + row.sum + "}",
                   "u32", {"u32", "u32", "u32"});
        }
        l.text(
            "stmatrix.x4" + trans,
            "{" + address + quad + "stmatrix.sync.aligned.m8n8.x4" + trans +
                ".shared.b16 [%n], {%c, %t, %b, %a};\nbar.warp.sync -1;\nld.shared.v4.u32 {%h0, %h1, %m, %k}, [%n];\n"
                "mad.lo.u32 %d, %h0, 3, %h1;\nmad.lo.u32 %e, %m, 3, %k;}",
            "u32", {"u32", "u32", "u32"});
    }
    l.text("movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;", "u32", {"u32"});
}

}  // namespace

std::vector<Case> all_cases() {
    List l;
    integers(l);
    bits(l);
    floats(l);
    halves(l);
    conversions(l);
    warp(l);
    moves(l);
    return l.cases;
}

std::vector<Case> unmeasured_cases() {
    List l;
    small_floats(l);
    wide(l);
    return l.cases;
}

}  // namespace vgpu::cases
