// atom and red: all operations, types, scopes and spaces. Cells that one thread uses alone take any operation, and its
// results count; cells that many threads use take operations whose end does not depend on their order.
#include "differential_builder.h"

namespace vgpu::differential {
namespace {

struct Operation {
    const char *name, *type;  // "add", "u32": of the instruction
};

constexpr Operation kAll[] = {
    {"add", "u32"},  {"add", "s32"}, {"add", "u64"}, {"add", "f32"}, {"add", "f64"},         {"add.noftz", "f16"},
    {"and", "b32"},  {"or", "b32"},  {"xor", "b32"}, {"and", "b64"}, {"or", "b64"},          {"xor", "b64"},
    {"min", "u32"},  {"min", "s32"}, {"min", "u64"}, {"min", "s64"}, {"max", "u32"},         {"max", "s32"},
    {"max", "u64"},  {"max", "s64"}, {"inc", "u32"}, {"dec", "u32"}, {"add.noftz", "f16x2"}, {"exch", "b32"},
    {"exch", "b64"}, {"cas", "b32"}, {"cas", "b64"}, {"cas", "b16"}, {"add.noftz", "bf16"},  {"add.noftz", "bf16x2"}};

bool has(const Operation& o, const char* word) { return std::string(o.name).find(word) != std::string::npos; }

class Atomics {
  public:
    Atomics(const std::string& name, std::uint64_t seed, int first) : b_(name, seed), first_(first) {
        b_.shape(1, 64);
        b_.before(".shared .align 16 .b8 " + name + "_tile[1024];");
        own_ = b_.fresh(64);
        shared_ = b_.fresh(64);
        generic_ = b_.fresh(64);
        b_.line("mul.wide.u32 " + own_ + ", %row, 8;\nmov.u64 " + shared_ + ", " + name + "_tile;\nadd.u64 " + shared_ +
                ", " + shared_ + ", " + own_ + ";\nadd.u64 " + own_ + ", " + own_ + ", %scratch;");
        b_.line("cvta.shared.u64 " + generic_ + ", " + shared_ + ";");
    }

    Kernel make() {
        for (int n = 0; n < 7; ++n) alone(kAll[static_cast<std::size_t>(first_ + n) % std::size(kAll)]);
        together();
        together();
        tickets();
        return b_.finish();
    }

  private:
    std::string scope() {
        const char* scopes[] = {"", ".cta", ".gpu", ".sys"};
        const char* orders[] = {"", ".relaxed", ".acquire", ".release", ".acq_rel"};
        const std::string s = b_.random.pick(scopes);
        return std::string(b_.random.pick(orders)) + s;
    }
    static std::string with_order(const std::string& order_and_scope, const std::string& space) {
        // An order needs a scope.
        const bool scoped = order_and_scope.find(".cta") != std::string::npos ||
                            order_and_scope.find(".gpu") != std::string::npos ||
                            order_and_scope.find(".sys") != std::string::npos;
        return (scoped || order_and_scope.empty() ? order_and_scope : order_and_scope + ".gpu") + space;
    }
    static std::string value_type(const std::string& t) { return t[0] == 'b' && t[1] != 'f' ? "u" + t.substr(1) : t; }

    // A cell of the thread's own, in one of three ways; what it holds before, what the operation gives, and what it
    // holds afterwards.
    void alone(const Operation& o) {
        const std::string type = o.type, of = value_type(type), bits = text(cases::bits_of(type));
        const int where = b_.random.below(3);
        const std::string space = where == 0 ? ".global" : where == 1 ? ".shared" : "";
        const std::string at = where == 0 ? own_ : where == 1 ? shared_ : b_.random.chance(50) ? generic_ : own_;
        const std::string st = "st." + std::string(at == own_ ? "global" : "shared"),
                          place = at == generic_ ? shared_ : at;
        const std::string before = b_.value(of, 60);
        std::string operand = b_.value(of, 60);
        const std::string swap = b_.value(of);
        b_.line(st + ".b" + bits + " [" + place + "], " + before + ";");
        if (has(o, "cas") && b_.random.chance(60)) operand = before;
        const std::string mode = with_order(scope(), space);
        const std::string end = "." + std::string(o.name) + "." + type,
                          third = has(o, "cas") ? ", " + swap : std::string();
        if (b_.random.chance(70) || has(o, "cas") || has(o, "exch")) {
            const std::string d = b_.fresh(cases::bits_of(of));
            b_.line("atom" + mode + end + " " + d + ", [" + at + "], " + operand + third + ";");
            b_.keep(d, of);
        } else {
            const bool acquires = mode.find("acq") != std::string::npos;
            b_.line("red" + (acquires ? with_order("", space) : mode) + end + " [" + at + "], " + operand + ";");
        }
        const std::string after = b_.fresh(cases::bits_of(of));
        b_.line("ld" + st.substr(2) + ".b" + bits + " " + after + ", [" + place + "];");
        b_.keep(after, of);
    }

    // All threads change a few cells; the order does not matter. Floats are small whole numbers, so that sums are
    // exact.
    void together() {
        const Operation kinds[] = {{"add", "u32"}, {"add", "u64"},        {"min", "s32"}, {"max", "s64"},
                                   {"and", "b32"}, {"or", "b64"},         {"xor", "b32"}, {"max", "u32"},
                                   {"min", "u64"}, {"add", "f32"},        {"add", "f64"}, {"inc", "u32"},
                                   {"dec", "u32"}, {"add.noftz", "f16x2"}};
        const Operation o = b_.random.pick(kinds);
        const std::string type = o.type, of = value_type(type), bits = text(cases::bits_of(type));
        const bool shared = b_.random.chance(50), in_branch = b_.random.chance(40);
        const std::string space = shared ? ".shared" : ".global", cell = b_.fresh(64), index = b_.fresh(64);
        std::string operand = b_.value(of, 60);
        if (of[0] == 'f') {
            operand = b_.fresh(cases::bits_of(of));
            b_.line("and.b32 %h0, %row, 7;");
            if (of == "f16x2")
                b_.line("cvt.rn.f32.u32 %h0, %h0;\ncvt.rn.f16x2.f32 " + operand + ", %h0, %h0;");
            else
                b_.line("cvt.rn." + of + ".u32 " + operand + ", %h0;");
        } else if (has(o, "inc") || has(o, "dec")) {
            operand = text(b_.random.between(3, 90));
        }
        const std::string start = of[0] == 'f' || has(o, "inc") || has(o, "dec") ? "0" : b_.immediate(of);
        const int spread = 1 << b_.random.below(4);  // cells
        b_.line("and.b32 %h0, %row, " + text(spread - 1) + ";\nmul.wide.u32 " + index + ", %h0, 8;");
        if (shared)
            b_.line("mov.u64 " + cell + ", " + b_.name() + "_tile;\nadd.u64 " + cell + ", " + cell + ", 512;");
        else
            b_.line("add.u64 " + cell + ", %scratch, 1024;");
        b_.line("add.u64 " + cell + ", " + cell + ", " + index + ";\nsetp.lt.u32 %p, %row, " + text(spread) + ";");
        const std::string from = b_.fresh(cases::bits_of(of));
        b_.line("mov.b" + bits + " " + from + ", " + start + ";\n@%p st" + space + ".b" + bits + " [" + cell + "], " +
                from + ";\nbar.sync 0;");
        const std::string end = b_.label();
        if (in_branch) b_.line("and.b32 %h0, %row, 5;\nsetp.eq.u32 %p, %h0, 1;\n@%p bra " + end + ";");
        const std::string mode = with_order(b_.random.chance(50) ? ".relaxed.gpu" : "", space);
        if (b_.random.chance(50)) {
            b_.line("red" + mode + "." + o.name + "." + type + " [" + cell + "], " + operand + ";");
        } else {
            const std::string unused = b_.fresh(cases::bits_of(of));
            b_.line("atom" + mode + "." + o.name + "." + type + " " + unused + ", [" + cell + "], " + operand + ";");
        }
        b_.line(end + ":\nbar.sync 0;");
        const std::string after = b_.fresh(cases::bits_of(of));
        b_.line("ld" + space + ".b" + bits + " " + after + ", [" + cell + "];\nbar.sync 0;");
        b_.keep(after, of);
    }

    // Each thread draws a ticket; which one depends on the order, but not the set of them.
    void tickets() {
        const bool shared = b_.random.chance(50);
        const std::string space = shared ? ".shared" : ".global", cell = b_.fresh(64), ticket = b_.fresh(32),
                          sum = b_.fresh(32);
        if (shared)
            b_.line("mov.u64 " + cell + ", " + b_.name() + "_tile;\nadd.u64 " + cell + ", " + cell + ", 768;");
        else
            b_.line("add.u64 " + cell + ", %scratch, 2048;");
        b_.line("setp.eq.u32 %p, %row, 0;\n@%p st" + space + ".u32 [" + cell + "], 0;\n@%p st" + space + ".u32 [" +
                cell + "+4], 0;\nbar.sync 0;");
        const char* ops[] = {"add", "inc"};
        const std::string op = b_.random.pick(ops);
        b_.line("atom" + space + "." + op + ".u32 " + ticket + ", [" + cell + "], " +
                (op == "inc" ? text(b_.random.between(5, 100)) : text(b_.random.between(1, 9))) + ";");
        b_.line("mad.lo.u32 " + ticket + ", " + ticket + ", " + ticket + ", 77;\nred" + space + ".add.u32 [" + cell +
                "+4], " + ticket + ";\nbar.sync 0;");
        b_.line("ld" + space + ".u32 " + sum + ", [" + cell + "+4];");
        b_.keep(sum, "u32");
        b_.line("bar.sync 0;");
    }

    Builder b_;
    int first_;
    std::string own_, shared_, generic_;
};

}  // namespace

std::vector<Kernel> atomic_kernels() {
    std::vector<Kernel> kernels;
    for (int n = 0; n < 160; ++n)
        kernels.push_back(Atomics("atomic_" + text(n), 130'000 + static_cast<std::uint64_t>(n), n * 7).make());
    return kernels;
}

}  // namespace vgpu::differential
