// Programs with control flow: nested and divergent branches and loops, early exits, switches, calls with parameters,
// recursion, calls through pointers, predicates. Variables change in place and are the results.
#include "differential_builder.h"

namespace vgpu::differential {
namespace {

using cases::Case;

struct Variable {
    std::string reg, type;
};

class Program {
  public:
    Program(const std::string& name, std::uint64_t seed, int functions) : b_(name, seed) {
        for (int n = 0; n < functions; ++n) function(n);
        const char* types[] = {"u32", "u32", "s32", "u32", "u64", "s64", "u64", "f32", "f32", "f64", "f16", "u16"};
        for (int n = 0; n < 12; ++n) {
            // The first inputs are edges; the rest are made from them, so that all have a value.
            const std::string type = types[n];
            if (n < 9) {
                variables_.push_back({b_.input(type), type});
                continue;
            }
            const std::string reg = b_.fresh(cases::bits_of(type));
            if (type == "f64")
                b_.line("cvt.f64.f32 " + reg + ", " + variables_[7].reg + ";");
            else
                b_.line("cvt.u16.u32 " + reg + ", " + variables_[static_cast<std::size_t>(n % 4)].reg + ";");
            b_.offer(reg, type);
            variables_.push_back({reg, type});
        }
        condition_ = b_.fresh(1);
        b_.line("setp.gt.u32 " + condition_ + ", " + variables_[0].reg + ", " + variables_[1].reg + ";");
        b_.offer(condition_, "pred");
        functions_ = functions;
        b_.seal();
    }

    Kernel make(int statements) {
        for (int n = 0; n < statements; ++n) statement(0);
        for (const Variable& v : variables_) b_.keep(v.reg, v.type);
        b_.keep(condition_, "pred");
        return b_.finish();
    }

  private:
    const Variable& word() { return variables_[static_cast<std::size_t>(b_.random.below(4))]; }
    std::string u32() { return word().reg; }

    // An instruction whose result is of a variable's type and goes there.
    void operation(const std::string& guard = "") {
        for (;;) {
            const Case& c = b_.random.pick(vocabulary());
            if (c.body.find(".sync") != std::string::npos || c.body.find("mask") != std::string::npos) continue;
            if (!guard.empty() && !is_single(c)) continue;
            for (int tries = 0; tries < 4; ++tries) {
                const Variable& v = b_.random.pick(variables_);
                if (v.type != c.result) continue;
                const std::string made = guard.empty() ? b_.apply(c) : b_.apply(c, v.reg, guard);
                if (guard.empty()) b_.line("mov.b" + text(cases::bits_of(v.type)) + " " + v.reg + ", " + made + ";");
                return;
            }
        }
    }

    std::string test() {
        const std::string p = b_.fresh(1);
        switch (b_.random.below(4)) {
            case 0:
                b_.line({"setp.lt.u32 ", p, ", ", u32(), ", ", u32(), ";"});
                break;
            case 1: {
                b_.line({"and.b32 %h0, ", u32(), ", ", hex(1u << b_.random.below(6)), ";"});
                b_.line("setp.eq.u32 " + p + ", %h0, 0;");
                break;
            }
            case 2:
                b_.line("setp.geu.f32 " + p + ", " + variables_[7].reg + ", " + variables_[8].reg + ";");
                break;
            default:
                b_.line("and.b32 %h0, %row, " + text(b_.random.between(1, 31)) + ";");
                b_.line("setp.ne.u32 " + p + ", %h0, " + text(b_.random.below(8)) + ";");
        }
        return p;
    }

    void block(int depth) {
        const int n = b_.random.between(1, 3);
        for (int k = 0; k < n; ++k) statement(depth);
    }

    void statement(int depth) {
        const int kind = b_.random.below(depth >= 3 ? 55 : 100);
        if (kind < 32) return operation();
        if (kind < 44) {
            const std::string p = test();
            return operation((b_.random.chance(50) ? "@" : "@!") + p + " ");
        }
        if (kind < 50) return b_.line({"xor.b32 ", u32(), ", ", u32(), ", ", u32(), ";"});
        if (kind < 58 && functions_ > 0) return call();
        if (kind < 60) return leave();
        if (kind < 75) return branch(depth);
        if (kind < 88) return loop(depth);
        return choose(depth);
    }

    void branch(int depth) {
        const std::string other = b_.label(), end = b_.label(), p = test();
        b_.line("@" + p + " bra " + other + ";");
        block(depth + 1);
        if (b_.random.chance(60)) {
            b_.line("bra " + end + ";\n" + other + ":");
            block(depth + 1);
            b_.line(end + ":");
        } else {
            b_.line(other + ":");
        }
    }

    void loop(int depth) {
        const std::string head = b_.label(), next = b_.label(), end = b_.label(), count = b_.fresh(32), p = b_.fresh(1);
        b_.line(b_.random.chance(70) ? "and.b32 " + count + ", " + u32() + ", 5;" : "mov.u32 " + count + ", 3;");
        b_.line(head + ":");
        b_.line("setp.eq.u32 " + p + ", " + count + ", 0;\n@" + p + " bra " + end + ";");
        b_.line("sub.u32 " + count + ", " + count + ", 1;");
        block(depth + 1);
        if (b_.random.chance(40)) exit_loop(end);   // break
        if (b_.random.chance(30)) exit_loop(head);  // continue
        operation();
        b_.line(next + ":\nbra " + head + ";\n" + end + ":");
    }

    void exit_loop(const std::string& to) {
        const std::string p = test();
        b_.line("@" + p + " bra " + to + ";");
    }

    void choose(int depth) {
        const int n = b_.random.between(2, 7);
        const std::string list = b_.label(), end = b_.label(), index = b_.fresh(32);
        std::vector<std::string> targets;
        for (int k = 0; k < n; ++k) targets.push_back(b_.label());
        b_.line("rem.u32 " + index + ", " + u32() + ", " + text(n) + ";");
        std::string all;
        for (const auto& t : targets) all += (all.empty() ? "" : ", ") + t;
        b_.line(list + ": .branchtargets " + all + ";\nbrx.idx " + index + ", " + list + ";");
        for (const auto& t : targets) {
            b_.line(t + ":");
            operation();
            if (b_.random.chance(30)) block(depth + 2);
            if (b_.random.chance(75)) b_.line("bra " + end + ";");  // else it falls through
        }
        b_.line(end + ":");
    }

    void leave() {
        const std::string p = test(), q = b_.fresh(1);
        b_.line("and.b32 %h0, " + u32() + ", 7;\nsetp.eq.and.u32 " + q + ", %h0, 3, " + p + ";");
        b_.line("@" + q + " st.global.u32 [%out], " + u32() + ";");
        b_.line({"@", q, b_.random.chance(50) ? " ret;" : " exit;"});
    }

    // r = f(a, b, {x, y}); the even ones call themselves, the others the one before.
    void function(int n) {
        const std::string f = b_.name() + "_f" + text(n);
        std::ostringstream out;
        const bool recursive = n % 2 == 0;
        const std::string ops[] = {"add.u32", "sub.u32", "mul.lo.u32", "xor.b32",
                                   "and.b32", "or.b32",  "min.s32",    "max.u32"};
        out << ".func (.param .b32 r) " << f << "(.param .b32 a, .param .b64 b, .param .align 8 .b8 c[16])\n{\n"
            << ".reg .b32 %r<12>;\n.reg .b64 %d<4>;\n.reg .b16 %h<3>;\n.reg .pred %p<3>;\n"
            << "ld.param.u32 %r1, [a];\nmov.u32 %r9, %r1;\nld.param.u64 %d1, [b];\nld.param.u32 %r2, "
               "[c+4];\nld.param.s8 %h1, [c+3];\n"
            << "ld.param.u64 %d2, [c+8];\nshl.b64 %d2, %d2, " << b_.random.below(9) << ";\nadd.u64 %d1, %d1, %d2;\n"
            << "cvt.u32.u64 %r3, %d1;\ncvt.s32.s16 %r4, %h1;\n";
        for (int k = 0; k < 4; ++k)
            out << b_.random.pick(ops) << " %r" << b_.random.between(1, 4) << ", %r" << b_.random.between(1, 4)
                << ", %r" << b_.random.between(1, 4) << ";\n";
        const std::string end = b_.label();
        if (recursive || n > 0) {
            out << "and.b32 %r5, %r9, " << (recursive ? 7 : 1) << ";\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra " << end
                << ";\nshr.u32 %r6, %r9, 1;\n"
                << (recursive ? "and.b32 %r6, %r6, 15;\n" : "")
                << "{\n.param .b32 r0;\n.param .b32 a0;\n.param .b64 b0;\n.param .align 8 .b8 c0[16];\n"
                << "st.param.b32 [a0], %r6;\nst.param.b64 [b0], %d1;\nst.param.v2.b32 [c0], {%r3, %r4};\n"
                << "st.param.b64 [c0+8], %d2;\ncall (r0), " << (recursive ? f : b_.name() + "_f" + text(n - 1))
                << ", (a0, b0, c0);\nld.param.b32 %r7, [r0];\n}\nadd.u32 %r2, %r2, %r7;\n";
        }
        out << end << ":\nmad.lo.u32 %r8, %r2, " << b_.random.between(3, 99) << ", %r3;\nxor.b32 %r8, %r8, %r4;\n"
            << "st.param.b32 [r], %r8;\nret;\n}\n";
        b_.before(out.str());
    }

    void call() {
        const std::string r = b_.fresh(32), f = b_.name() + "_f" + text(b_.random.below(functions_));
        const bool pointer = b_.random.chance(35);
        std::string target = f;
        if (pointer) {
            const std::string one = b_.fresh(64), two = b_.fresh(64), p = test();
            b_.line("mov.u64 " + one + ", " + f + ";\nmov.u64 " + two + ", " + b_.name() + "_f0;");
            b_.line("selp.b64 " + one + ", " + one + ", " + two + ", " + p + ";");
            target = one;
        }
        b_.line("{\n.param .b32 r0;\n.param .b32 a0;\n.param .b64 b0;\n.param .align 8 .b8 c0[16];");
        b_.line("st.param.b32 [a0], " + u32() + ";\nst.param.b64 [b0], " + variables_[4].reg + ";");
        b_.line({"st.param.b32 [c0], ", u32(), ";\nst.param.b32 [c0+4], ", u32(), ";"});
        b_.line("st.param.b64 [c0+8], " + variables_[5].reg + ";");
        const std::string prototype = "proto_" + text(prototypes_++);
        if (pointer)
            b_.line(prototype +
                    ": .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _, .param .align 8 .b8 "
                    "_[16]);");
        b_.line("call (r0), " + target + ", (a0, b0, c0)" + (pointer ? ", " + prototype : std::string()) + ";");
        b_.line("ld.param.b32 " + r + ", [r0];\n}\nmov.u32 " + u32() + ", " + r + ";");
    }

    Builder b_;
    std::vector<Variable> variables_;
    std::string condition_;
    int functions_ = 0, prototypes_ = 0;
};

}  // namespace

std::vector<Kernel> control_kernels() {
    std::vector<Kernel> kernels;
    for (int n = 0; n < 200; ++n) {
        Program p("control_" + text(n), 50'000 + static_cast<std::uint64_t>(n), n % 3 == 0 ? 3 : 0);
        kernels.push_back(p.make(8 + n % 8));
    }
    return kernels;
}

}  // namespace vgpu::differential
