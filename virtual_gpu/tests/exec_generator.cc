#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <string_view>
#include <vector>

#include "ptx_generator.h"

namespace vgpu {
namespace {

// $r a register of .b32, $u .u32, $s .s32, $f .f32, $d .f64, $l .b64, $h .b16, $p a predicate; $i an immediate;
// $a the address of global memory; the number before it: the target that it needs.
struct Template {
    int target;
    std::string_view text;
};
constexpr std::array kTemplates = std::to_array<Template>({
    {75, "add.s32 $r, $u, $s;"},
    {75, "sub.u32 $u, $r, $i;"},
    {75, "mul.lo.s32 $r, $r, $s;"},
    {75, "mul.hi.u32 $r, $r, $u;"},
    {75, "mul.wide.s32 $l, $r, $s;"},
    {75, "mad.lo.u32 $u, $u, $u, $r;"},
    {75, "mad.wide.u32 $l, $r, $u, $l;"},
    {75, "div.s32 $s, $s, $r;"},
    {75, "rem.u64 $l, $l, $l;"},
    {75, "abs.s32 $s, $s;"},
    {75, "neg.f32 $f, $f;"},
    {75, "min.s32 $r, $r, $i;"},
    {75, "max.f64 $d, $d, $d;"},
    {75, "add.f32 $f, $f, $f;"},
    {75, "mul.f64 $d, $d, $d;"},
    {75, "fma.rn.f32 $f, $f, $f, $f;"},
    {75, "rcp.rn.f32 $f, $f;"},
    {75, "sqrt.approx.f32 $f, $f;"},
    {75, "sin.approx.f32 $f, $f;"},
    {75, "and.b32 $r, $r, $u;"},
    {75, "or.b64 $l, $l, $l;"},
    {75, "xor.b16 $h, $h, $h;"},
    {75, "not.b32 $r, $r;"},
    {75, "not.pred $p, $p;"},
    {75, "and.pred $p, $p, $p;"},
    {75, "shl.b32 $r, $r, $u;"},
    {75, "shr.u64 $l, $l, $r;"},
    {75, "shf.l.wrap.b32 $r, $r, $r, $i;"},
    {75, "bfe.u32 $r, $r, $i, $i;"},
    {75, "bfi.b32 $r, $r, $r, $i, $i;"},
    {75, "popc.b64 $r, $l;"},
    {75, "clz.b32 $u, $r;"},
    {75, "brev.b32 $r, $r;"},
    {75, "bfind.u32 $r, $u;"},
    {75, "prmt.b32 $r, $r, $r, $i;"},
    {75, "lop3.b32 $r, $r, $r, $u, 150;"},
    {75, "dp4a.u32.u32 $u, $u, $u, $u;"},
    {75, "selp.b32 $r, $r, $u, $p;"},
    {75, "setp.lt.s32 $p, $s, $r;"},
    {75, "setp.eq.and.b32 $p|$p, $r, $u, !$p;"},
    {75, "setp.gt.f32 $p, $f, $f;"},
    {75, "set.eq.u32.s32 $u, $s, $s;"},
    {75, "slct.b32.s32 $r, $r, $r, $s;"},
    {75, "mov.u32 $u, $r;"},
    {75, "mov.b32 $f, $u;"},
    {75, "mov.u32 $r, %tid.x;"},
    {75, "mov.u32 $u, %laneid;"},
    {75, "mov.b64 $l, {$r, $u};"},
    {75, "mov.b64 {$r, $f}, $l;"},
    {75, "mov.u64 $l, %clock64;"},
    {75, "mov.u64 $l, shared~;"},
    {75, "mov.u64 $l, array~;"},
    {75, "cvt.u64.u32 $l, $u;"},
    {75, "cvt.rn.f32.s32 $f, $s;"},
    {75, "cvt.rzi.s32.f32 $s, $f;"},
    {75, "cvt.f64.f32 $d, $f;"},
    {75, "cvt.u16.u32 $h, $r;"},
    {75, "cvt.u8.u32 $r, $r;"},
    {75, "add.cc.u32 $u, $u, $u;"},
    {75, "addc.u32 $u, $u, $u;"},
    {75, "ld.global.u32 $r, [$a+16];"},
    {75, "ld.global.f32 $f, [$a];"},
    {75, "ld.global.u8 $h, [$a+3];"},
    {75, "ld.global.s8 $l, [$a+3];"},
    {75, "ld.global.v2.f32 {$f, $f}, [$a+8];"},
    {75, "ld.global.v4.u32 {$r, $u, $r, $u}, [$a+32];"},
    {75, "ld.volatile.global.u32 $u, [$a];"},
    {75, "ld.acquire.gpu.global.u32 $u, [$a];"},
    {75, "ld.global.nc.b64 $l, [$a];"},
    {75, "ld.u32 $u, [$a];"},
    {75, "ld.shared.u32 $u, [shared~+4];"},
    {75, "ld.const.u32 $u, [constant~+8];"},
    {75, "ld.local.u32 $r, [local+4];"},
    {75, "ld.param.u64 $l, [k~_param_1];"},
    {75, "ld.param.u32 $r, [k~_param_2+4];"},
    {75, "st.global.u32 [$a], $r;"},
    {75, "st.global.v2.u32 [$a+8], {$r, $u};"},
    {75, "st.global.f64 [$a+64], $d;"},
    {75, "st.shared.u32 [shared~], $u;"},
    {75, "st.local.b16 [local], $h;"},
    {75, "atom.global.add.u32 $u, [$a], $u;"},
    {75, "atom.global.cas.b32 $r, [$a], $r, $r;"},
    {75, "atom.shared.max.s32 $s, [shared~], $s;"},
    {75, "atom.global.exch.b64 $l, [$a], $l;"},
    {75, "red.global.add.f32 [$a], $f;"},
    {75, "shfl.sync.bfly.b32 $r|$p, $u, $i, 31, -1;"},
    {75, "vote.sync.ballot.b32 $r, $p, -1;"},
    {75, "match.any.sync.b32 $r, $u, -1;"},
    {75, "activemask.b32 $r;"},
    {75, "bar.sync 0;"},
    {75, "bar.warp.sync -1;"},
    {75, "membar.gl;"},
    {75, "fence.acq_rel.gpu;"},
    {75, "isspacep.shared $p, $l;"},
    {75, "cvta.to.global.u64 $l, $l;"},
    {75, "cvta.shared.u64 $l, shared~;"},
    {75, "prefetch.global.L1 [$a];"},
    {75, "nanosleep.u32 $i;"},
    {80, "redux.sync.add.u32 $u, $u, -1;"},
    {80, "cp.async.ca.shared.global [shared~], [$a], 4;"},
    {80, "cp.async.commit_group;"},
    {80, "cp.async.wait_group 0;"},
    {80, "mbarrier.init.shared.b64 [barrier~], 32;"},
    {80, "mbarrier.arrive.shared.b64 $l, [barrier~];"},
    {80, "fma.rn.bf16 $h, $h, $h, $h;"},
    {80, "max.NaN.f32 $f, $f, $f;"},
    {90, "fence.proxy.async;"},
    {90, "mov.u32 $r, %cluster_ctaid.x;"},
    {90, "mbarrier.try_wait.shared.b64 $p, [barrier~], $l;"},
    {90, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [shared~], [$a], $u, [barrier~];"},
    {90, "elect.sync $r|$p, -1;"},
});

constexpr int kOfEach = 5;  // registers

class Generator {
  public:
    explicit Generator(std::uint64_t seed) : random_(seed), suffix_(std::to_string(seed)) {}

    std::string module() {
        static constexpr std::array kTargets = {75, 75, 80, 90};
        target_ = kTargets[below(kTargets.size())];
        line(".version 9.0");
        line(".target sm_" + std::to_string(target_));
        line(".address_size 64");
        line(".global .align 4 .b8 array~[256];");
        line(".const .align 4 .b8 constant~[64];");
        line(".shared .align 16 .b8 shared~[512];");
        line(".shared .align 8 .b64 barrier~;");
        for (int n = 0; n < 2; ++n) function(n);
        line(".global .align 8 .u64 table~[2] = {f0~, f1~};");
        line(".visible .entry other~(.param .u64 p)");
        line("{");
        line("ret;");
        line("}");
        kernel();
        return text_;
    }

    std::string change(const std::string& text) {
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        std::string& one = lines[below(lines.size())];
        const std::string other = lines[below(lines.size())];
        static constexpr std::array<std::string_view, 30> kModifiers = {
            "u8",   "s16",  "b32",      "u32", "s32",  "u64",    "b64",    "f32",   "f64",     "f16",
            "pred", "b128", "v2",       "v4",  "v8",   "global", "shared", "local", "const",   "param",
            "wide", "lo",   "volatile", "cas", "sync", "NaN",    "bf16",   "nc",    "relaxed", "cluster"};
        static constexpr std::array<std::string_view, 14> kNumbers = {
            "0", "1", "2", "3", "4", "8", "15", "16", "17", "31", "4096", "4294967295", "-1", "40000"};
        static constexpr std::array<std::string_view, 14> kNames = {
            "f0~",   "f1~",    "other~",   "k~",      "array~", "constant~", "shared~",
            "local", "table~", "barrier~", "nowhere", "a0",     "b0",        "r0"};
        switch (below(9)) {
            case 0:
                replace(
                    one, "%", [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }, some_register());
                break;
            case 1:
            case 2:
                replace(
                    one, ".", [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; },
                    "." + std::string(kModifiers[below(kModifiers.size())]));
                break;
            case 3:
                replace_number(one, std::string(kNumbers[below(kNumbers.size())]));
                break;
            case 4: {
                std::string name(kNames[below(kNames.size())]);
                put_suffix(name);
                replace_name(one, name);
                break;
            }
            case 5:
                one = other;
                break;
            case 6:
                one.clear();
                break;
            case 7:  // an operand less
                if (const std::size_t comma = one.rfind(','); comma != std::string::npos) {
                    const std::size_t end = one.find_first_of(");]}", comma);
                    if (end != std::string::npos) one.erase(comma, end - comma);
                }
                break;
            default:
                one += other;
                break;
        }
        std::string out;
        for (const std::string& l : lines) out += l + "\n";
        return out;
    }

    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  private:
    void put_suffix(std::string& s) const {
        for (std::size_t at = 0; (at = s.find('~', at)) != std::string::npos;) s.replace(at, 1, "_" + suffix_);
    }
    void line(std::string s) {
        put_suffix(s);
        text_ += s + "\n";
    }

    std::string some_register() {
        static constexpr std::string_view kKinds = "rusfdlhp";
        return "%" + std::string(1, kKinds[below(kKinds.size())]) + std::to_string(below(kOfEach));
    }

    void instruction() {
        const Template& t = kTemplates[below(kTemplates.size())];
        if (t.target > target_) return instruction();
        std::string out;
        for (std::size_t at = 0; at < t.text.size(); ++at) {
            if (t.text[at] != '$') {
                out += t.text[at];
                continue;
            }
            const char kind = t.text[++at];
            if (kind == 'i')
                out += std::to_string(below(32));
            else if (kind == 'a')
                out += "%a";
            else
                out += "%" + std::string(1, kind) + std::to_string(below(kOfEach));
        }
        line(below(4) == 0 && out.find("sync") == std::string::npos ? "@%p" + std::to_string(below(kOfEach)) + " " + out
                                                                    : out);
    }

    void registers() {
        static constexpr std::array<std::string_view, 8> kTypes = {".b32 %r", ".u32 %u", ".s32 %s", ".f32 %f",
                                                                   ".f64 %d", ".b64 %l", ".b16 %h", ".pred %p"};
        for (const std::string_view type : kTypes)
            line(".reg " + std::string(type) + "<" + std::to_string(kOfEach) + ">;");
        line(".reg .b64 %a;");
    }

    // f0 takes a number and a struct, f1 only a number.
    void function(int n) {
        line(".func (.param .b32 r) f" + std::to_string(n) + "~(.param .b32 a" +
             (n == 0 ? ", .param .align 8 .b8 s[16])" : ")"));
        line("{");
        line(".reg .b32 %v<3>;");
        line("ld.param.b32 %v1, [a];");
        if (n == 0) line("ld.param.b32 %v2, [s+8];");
        line("add.u32 %v1, %v1, 1;");
        line("st.param.b32 [r], %v1;");
        line("ret;");
        line("}");
    }

    void call() {
        const bool has_struct = below(2) == 0;
        const std::string function = has_struct ? "f0~" : "f1~";
        const std::string arguments = has_struct ? "(a0, b0)" : "(a0)";
        line("{");
        line(".param .b32 a0;");
        line(".param .align 8 .b8 b0[16];");
        line(".param .b32 r0;");
        line("st.param.b32 [a0], %r0;");
        line("st.param.b64 [b0+8], %l0;");
        if (below(2) == 0) {
            line("call (r0), " + function + ", " + arguments + ";");
        } else {
            line(below(2) == 0 ? "mov.u64 %l1, " + function + ";"
                               : "ld.global.u64 %l1, [table~+" + std::string(has_struct ? "0" : "8") + "];");
            line(std::string("P: .callprototype (.param .b32 _) _ (.param .b32 _") +
                 (has_struct ? ", .param .align 8 .b8 _[16]);" : ");"));
            line("call (r0), %l1, " + arguments + ", P;");
        }
        line("ld.param.b32 %r1, [r0];");
        line("}");
    }

    void kernel() {
        line(".visible .entry k~(.param .u64 k~_param_0, .param .u64 k~_param_1, .param .align 4 .b8 k~_param_2[8])");
        line("{");
        registers();
        line(".local .align 8 .b8 local[64];");
        line("ld.param.u64 %a, [k~_param_0];");
        line("mov.u32 %r0, %tid.x;");
        const std::size_t count = 4 + below(20);
        std::vector<std::string> ahead;
        for (std::size_t n = 0; n < count; ++n) {
            if (below(12) == 0) call();
            if (below(10) == 0) {
                ahead.push_back("L" + std::to_string(n));
                line("@%p" + std::to_string(below(kOfEach)) + " bra " + ahead.back() + ";");
            }
            instruction();
            if (!ahead.empty() && below(3) == 0) {
                line(ahead.back() + ":");
                ahead.pop_back();
            }
        }
        for (const std::string& label : ahead) line(label + ":");
        line("st.global.u32 [%a], %r0;");
        line("ret;");
        line("}");
    }

    template <class In>
    void replace(std::string& s, std::string_view begin, In in, const std::string& by) {
        std::vector<std::size_t> places;
        for (std::size_t at = s.find(begin); at != std::string::npos; at = s.find(begin, at + 1)) places.push_back(at);
        if (places.empty()) return;
        const std::size_t at = places[below(places.size())];
        std::size_t end = at + begin.size();
        while (end < s.size() && in(s[end])) ++end;
        s.replace(at, end - at, by);
    }
    void replace_number(std::string& s, const std::string& by) {
        std::vector<std::pair<std::size_t, std::size_t>> places;
        for (std::size_t at = 0; at < s.size(); ++at) {
            if (std::isdigit(static_cast<unsigned char>(s[at])) == 0) continue;
            std::size_t end = at;
            while (end < s.size() && std::isdigit(static_cast<unsigned char>(s[end])) != 0) ++end;
            const bool in_word =
                at > 0 && (std::isalnum(static_cast<unsigned char>(s[at - 1])) != 0 || s[at - 1] == '_');
            if (!in_word) places.emplace_back(at, end - at);
            at = end;
        }
        if (places.empty()) return;
        const auto [at, size] = places[below(places.size())];
        s.replace(at, size, by);
    }
    void replace_name(std::string& s, const std::string& by) {
        static constexpr std::array<std::string_view, 12> kKnown = {
            "f0_", "f1_", "other_", "array_", "constant_", "shared_", "local", "table_", "barrier_", "a0", "b0", "r0"};
        for (std::size_t tries = 0; tries < 8; ++tries) {
            const std::string_view name = kKnown[below(kKnown.size())];
            const std::size_t at = s.find(name);
            if (at == std::string::npos) continue;
            std::size_t end = at;
            while (end < s.size() && (std::isalnum(static_cast<unsigned char>(s[end])) != 0 || s[end] == '_')) ++end;
            s.replace(at, end - at, by);
            return;
        }
    }

    std::mt19937_64 random_;
    std::string suffix_, text_;
    int target_ = 75;
};

}  // namespace

GeneratedPtx generate_ptx(std::uint64_t seed, int most_changes) {
    Generator generator(seed);
    GeneratedPtx out{generator.module(), "k_" + std::to_string(seed), 0};
    out.changes = static_cast<int>(generator.below(static_cast<std::size_t>(most_changes) + 1));
    for (int n = 0; n < out.changes; ++n) out.text = generator.change(out.text);
    return out;
}

}  // namespace vgpu
