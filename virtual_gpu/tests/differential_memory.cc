// Memory of all spaces: widths, signs, vectors, generic addresses, cache operators, asynchronous copies, barriers.
#include "differential_builder.h"

namespace vgpu::differential {
namespace {

constexpr int kBytes = 64;  // of each array that a thread reads from

struct Access {
    std::string type, reg_type;  // "s8", and what holds it
    int bytes;
};

class Memories {
  public:
    Memories(const std::string& name, std::uint64_t seed) : b_(name, seed) {
        b_.shape(b_.random.chance(50) ? 1 : 2, 32);
        for (int n = 0; n < 3; ++n) b_.input(n == 1 ? "u64" : "u32");
        index_ = b_.input("u32");
        b_.input("u64");
    }

    Kernel make() {
        switch (b_.random.below(6)) {
            case 0:
                constants();
                break;
            case 1:
                locals();
                break;
            case 2:
                arguments();
                break;
            default:
                stores();
        }
        shared();
        if (b_.random.chance(50)) copies();
        if (b_.random.chance(50)) spaces();
        barriers();
        return b_.finish();
    }

  private:
    Access access() {
        const Access all[] = {{"u8", "u16", 1},  {"s8", "s16", 1},  {"u8", "u32", 1},  {"s8", "s32", 1},
                              {"s8", "s64", 1},  {"b8", "u32", 1},  {"u16", "u16", 2}, {"s16", "s32", 2},
                              {"u16", "u32", 2}, {"s16", "s64", 2}, {"u16", "u64", 2}, {"u32", "u32", 4},
                              {"s32", "s64", 4}, {"u32", "u64", 4}, {"f32", "f32", 4}, {"b32", "u32", 4},
                              {"u64", "u64", 8}, {"f64", "f64", 8}, {"b64", "u64", 8}, {"b16", "u16", 2}};
        return b_.random.pick(all);
    }

    std::string bytes_of_text(int count) {
        std::string list;
        for (int n = 0; n < count; ++n) list += (n == 0 ? "" : ", ") + text(static_cast<int>(b_.random.next() & 0xFF));
        return list;
    }

    // An address within `bytes` bytes from `base`, a multiple of `align`; a register and an offset in brackets.
    std::string place(const std::string& base, int bytes, int align, bool dynamic = true) {
        const int offset = b_.random.below(bytes / align) * align;
        if (!dynamic || b_.random.chance(30)) return "[" + base + "+" + text(offset) + "]";
        const std::string at = b_.fresh(64);
        b_.line({"add.u32 %h0, ", index_, ", ", text(b_.random.below(50)), ";\nand.b32 %h0, %h0, ", text(bytes - align),
                 ";"});
        b_.line("cvt.u64.u32 " + at + ", %h0;\nadd.u64 " + at + ", " + at + ", " + base + ";");
        return "[" + at + "]";
    }

    // Loads of all kinds from `bytes` bytes at `base`, aligned to 16; the values are kept.
    void loads(const std::string& ld, const std::string& base, int bytes, int count, bool dynamic = true) {
        for (int n = 0; n < count; ++n) {
            const Access a = access();
            const int width = register_bits(a.reg_type);
            int parts = b_.random.chance(35) ? 2 : 1;
            if (parts == 2 && a.bytes <= 4 && b_.random.chance(50)) parts = 4;
            const std::string at = place(base, bytes, a.bytes * parts, dynamic);
            if (parts == 1) {
                const std::string d = b_.fresh(width);
                b_.line(ld + "." + a.type + " " + d + ", " + at + ";");
                b_.keep(d, a.reg_type);
                b_.offer(d, a.reg_type);
                continue;
            }
            std::vector<std::string> d;
            std::string list;
            for (int k = 0; k < parts; ++k) {
                d.push_back(b_.fresh(width));
                list += (k == 0 ? "" : ", ") + d.back();
            }
            b_.line(ld + ".v" + text(parts) + "." + a.type + " {" + list + "}, " + at + ";");
            for (int k = 1; k < parts; ++k) {
                const std::string odd = text(2 * b_.random.below(50) + 3), w = text(width);
                b_.line("mad.lo.u" + w + " " + d[0] + ", " + d[0] + ", " + odd + ", " + d[static_cast<std::size_t>(k)] +
                        ";");
            }
            b_.keep(d[0], a.reg_type);
        }
    }
    static int register_bits(const std::string& type) { return cases::bits_of(type); }

    // Fills 16 bytes at `at` in pieces of random widths.
    void fill(const std::string& st, const std::string& at) {
        for (int done = 0; done < 16;) {
            const Access a = access();
            int parts = b_.random.chance(40) ? 2 : 1;
            if (parts == 2 && a.bytes <= 4 && b_.random.chance(50)) parts = 4;
            const int bytes = a.bytes * parts;
            if (done % bytes != 0 || done + bytes > 16) continue;
            std::string from;
            for (int k = 0; k < parts; ++k) from += (k == 0 ? "" : ", ") + b_.value(a.reg_type, 10);
            const std::string where = "[" + at + "+" + text(done) + "]";
            if (parts == 1)
                b_.line(st + "." + a.type + " " + where + ", " + from + ";");
            else
                b_.line(st + ".v" + text(parts) + "." + a.type + " " + where + ", {" + from + "};");
            done += bytes;
        }
    }

    void constants() {
        const std::string name = b_.name() + (b_.random.chance(50) ? "_const" : "_global");
        const bool constant = name.ends_with("_const");
        const std::string space = constant ? "const" : "global", at = b_.fresh(64), generic = b_.fresh(64);
        b_.before("." + space + " .align 16 .b8 " + name + "[" + text(kBytes) + "] = {" + bytes_of_text(kBytes) + "};");
        b_.line("mov.u64 " + at + ", " + name + ";\ncvta." + space + ".u64 " + generic + ", " + at + ";");
        loads("ld." + space, at, kBytes, 5);
        loads("ld", generic, kBytes, 2);
        loads("ld." + space, name, kBytes, 2, false);
    }

    void locals() {
        const std::string name = b_.name() + "_local", at = b_.fresh(64), generic = b_.fresh(64), next = b_.fresh(64);
        b_.line(".local .align 16 .b8 " + name + "[" + text(kBytes) + "];");
        b_.line("mov.u64 " + at + ", " + name + ";\ncvta.local.u64 " + generic + ", " + at + ";");
        for (int n = 0; n < kBytes; n += 16) {
            b_.line("add.u64 " + next + ", " + (n % 32 == 0 ? at : generic) + ", " + text(n) + ";");
            fill(n % 32 == 0 ? "st.local" : "st", next);
        }
        loads("ld.local", at, kBytes, 5);
        loads("ld", generic, kBytes, 3);
    }

    // The fourth parameter is a struct of 64 bytes.
    void arguments() {
        b_.takes_struct();
        loads("ld.param", "p_struct", kBytes, 6, false);
        const std::string at = b_.fresh(64);
        b_.line("mov.b64 " + at + ", p_struct;\ncvta.param.u64 " + at + ", " + at + ";");
        loads("ld", at, kBytes, 3);
    }

    void stores() {
        const std::string own = b_.fresh(64), generic = b_.fresh(64);
        const char* stores[] = {"st.global",
                                "st",
                                "st.global.cg",
                                "st.global.wt",
                                "st.volatile.global",
                                "st.global.cs",
                                "st.weak.global",
                                "st.relaxed.gpu.global",
                                "st.release.cta.global"};
        const char* loaders[] = {"ld.global",
                                 "ld",
                                 "ld.global.ca",
                                 "ld.global.cg",
                                 "ld.global.cs",
                                 "ld.global.lu",
                                 "ld.volatile.global",
                                 "ld.relaxed.gpu.global",
                                 "ld.acquire.sys.global",
                                 "ld.global.cv",
                                 "ld.weak.global"};
        b_.line("mul.wide.u32 " + own + ", %row, 64;\nadd.u64 " + own + ", " + own + ", %scratch;");
        b_.line("cvta.to.global.u64 " + generic + ", " + own + ";");
        for (int n = 0; n < 2; ++n) {
            const std::string at = b_.fresh(64);
            b_.line("add.u64 " + at + ", " + generic + ", " + text(b_.random.below(4) * 16) + ";");
            fill(b_.random.pick(stores), at);
        }
        for (int n = 0; n < 5; ++n) loads(b_.random.pick(loaders), own, kBytes, 1);
        // What nobody writes may go through the read-only cache.
        const std::string other = b_.fresh(64);
        b_.line("add.u64 " + other + ", %scratch, 8192;");
        loads("ld.global.nc", other, kBytes, 2);
    }

    // Threads write 16 bytes each, and read those of others.
    void shared() {
        const std::string name = b_.name() + "_tile", at = b_.fresh(64), base = b_.fresh(64), generic = b_.fresh(64);
        b_.before(".shared .align 16 .b8 " + name + "[512];");
        b_.line("mov.u64 " + base + ", " + name + ";\nmov.u32 %h0, %tid.x;\nmul.wide.u32 " + at +
                ", %h0, 16;\nadd.u64 " + at + ", " + at + ", " + base + ";\ncvta.shared.u64 " + generic + ", " + base +
                ";");
        fill(b_.random.chance(70) ? "st.shared" : "st.volatile.shared", at);
        b_.line("bar.sync 0;");
        loads("ld.shared", base, 512, 3);
        loads("ld", generic, 512, 2);
        loads("ld.volatile.shared", base, 512, 1);
    }

    void copies() {
        const std::string name = b_.name() + "_copy", at = b_.fresh(64), from = b_.fresh(64);
        const int bytes = 4 << b_.random.below(3);
        b_.before(".shared .align 16 .b8 " + name + "[512];");
        b_.line("mov.u64 " + at + ", " + name + ";\nmov.u32 %h0, %tid.x;\nmul.wide.u32 " + from +
                ", %h0, 16;\nadd.u64 " + at + ", " + at + ", " + from + ";\nadd.u64 " + from + ", " + from +
                ", %scratch;");
        const std::string zero = b_.random.chance(40) ? ", " + text(b_.random.below(bytes + 1)) : std::string();
        b_.line("cp.async." + std::string(bytes == 16 && b_.random.chance(50) ? "cg" : "ca") + ".shared.global [" + at +
                "], [" + from + "+8192], " + text(bytes) + zero + ";");
        b_.line(b_.random.chance(50) ? "cp.async.wait_all;" : "cp.async.commit_group;\ncp.async.wait_group 0;");
        const std::string d = b_.fresh(bytes == 4 ? 32 : 64);
        b_.line("ld.shared.b" + std::string(bytes == 4 ? "32 " : "64 ") + d + ", [" + at +
                (bytes == 16 ? "+8];" : "];"));
        b_.keep(d, bytes == 4 ? "u32" : "u64");
    }

    // Which space a generic address is of.
    void spaces() {
        const std::string address = b_.fresh(64), p = b_.fresh(1), q = b_.fresh(1), sum = b_.fresh(32);
        b_.line("setp.gt.u32 " + q + ", " + index_ + ", 100;\nmov.u64 " + address + ", " + b_.name() +
                "_tile;\ncvta.shared.u64 " + address + ", " + address + ";\nselp.b64 " + address + ", " + address +
                ", %scratch, " + q + ";\nmov.u32 " + sum + ", 1;");
        for (const char* space : {"shared", "global", "local", "const"})
            b_.line("isspacep." + std::string(space) + " " + p + ", " + address + ";\nselp.u32 %h0, 3, 5, " + p +
                    ";\nmad.lo.u32 " + sum + ", " + sum + ", 7, %h0;");
        b_.keep(sum, "u32");
    }

    void barriers() {
        const std::string d = b_.fresh(32), p = b_.fresh(1), value = b_.value("u32");
        b_.line("and.b32 %h0, " + value + ", " + text(1 << b_.random.below(5)) + ";\nsetp.ne.u32 %p, %h0, 0;");
        const int number = b_.random.below(5);
        const std::string count = b_.random.chance(50) ? ", 32" : "";
        b_.line("bar.red.popc.u32 " + d + ", " + text(number) + count + ", %p;");
        b_.keep(d, "u32");
        b_.line(
            {"barrier.red.", b_.random.chance(50) ? "and" : "or", ".pred ", p, ", ", text(number), count, ", !%p;"});
        b_.keep(p, "pred");
    }

    Builder b_;
    std::string index_;
};

}  // namespace

std::vector<Kernel> memory_kernels() {
    std::vector<Kernel> kernels;
    for (int n = 0; n < 180; ++n)
        kernels.push_back(Memories("memory_" + text(n), 170'000 + static_cast<std::uint64_t>(n)).make());
    return kernels;
}

}  // namespace vgpu::differential
