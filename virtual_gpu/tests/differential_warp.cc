// Operations between lanes: shuffles, votes, matches, reductions, with full and partial masks, in whole and partial
// warps, in diverged code and in loops that lanes leave. No lane asks one that takes no part.
#include "differential_builder.h"

namespace vgpu::differential {
namespace {

class Warps {
  public:
    Warps(const std::string& name, std::uint64_t seed) : b_(name, seed) {
        // The second warp of some blocks has 16 lanes.
        const int shapes[][2] = {{1, 64}, {1, 64}, {2, 32}, {1, 48}, {4, 16}};
        const auto& shape = b_.random.pick(shapes);
        b_.shape(shape[0], shape[1]);
        widest_ = shape[1] % 32 == 0 ? 32 : 16;
        for (int n = 0; n < 4; ++n) words_.push_back(b_.input(n % 2 == 0 ? "u32" : "s32"));
        wide_ = b_.input("u64");
        small_ = b_.fresh(32);
        b_.line("and.b32 " + small_ + ", " + words_[0] + ", 3;");
        words_.push_back(small_);
        lane_ = b_.fresh(32);
        b_.line("mov.u32 " + lane_ + ", %laneid;");
        all_ = b_.fresh(32);  // lanes that exist
        b_.line("mov.u32 " + all_ + ", -1;");
        if (widest_ == 16) {
            const std::string p = b_.fresh(1);
            b_.line("mov.u32 %h0, %tid.x;\nand.b32 %h0, %h0, 32;");
            b_.line(shape[1] == 48 ? "setp.ne.u32 " + p + ", %h0, 0;" : "setp.eq.u32 " + p + ", %h0, 0;");
            b_.line("selp.u32 " + all_ + ", 0xFFFF, -1, " + p + ";");
        }
    }

    Kernel make() {
        const int kind = b_.random.below(4);
        for (int n = 0; n < 4; ++n) operation(all_, widest_, true);
        if (kind == 0) two_sides();
        if (kind == 1) by_data();
        if (kind == 2) leaving();
        if (kind == 3) two_sides(), by_data();
        for (int n = 0; n < 3; ++n) operation(all_, widest_, true);
        return b_.finish();
    }

  private:
    const std::string& word() { return b_.random.pick(words_); }

    // An operation of the lanes in `mask`, which are whole groups of `width` lanes; its result becomes a value.
    // `kept`: all threads come here, so that it can be a result of its own.
    void operation(const std::string& mask, int width, bool kept, const std::string& into = "") {
        const std::string d = b_.fresh(32), p = b_.fresh(1), a = word();
        bool pair = false;
        switch (b_.random.below(width > 0 ? 8 : 5)) {
            case 0: {
                const char* votes[] = {"all", "any", "uni"};
                const std::string q = predicate();
                b_.line({"vote.sync.", b_.random.pick(votes), ".pred ", p, ", ", b_.random.chance(30) ? "!" : "", q,
                         ", ", mask, ";"});
                b_.line("selp.u32 " + d + ", 1, 0, " + p + ";");
                break;
            }
            case 1: {
                const std::string q = predicate();
                b_.line("vote.sync.ballot.b32 " + d + ", " + q + ", " + mask + ";");
                break;
            }
            case 2:
                if (b_.random.chance(30)) {
                    b_.line("rem.u64 %r, " + wide_ + ", 3;\nmatch.any.sync.b64 " + d + ", %r, " + mask + ";");
                } else {
                    b_.line("and.b32 %h0, " + a + ", 5;\nmatch.any.sync.b32 " + d + ", %h0, " + mask + ";");
                }
                break;
            case 3:
                pair = true;
                b_.line("shr.u32 %h0, " + a + ", " + text(b_.random.between(24, 31)) + ";");
                b_.line("match.all.sync.b32 " + d + "|" + p + ", %h0, " + mask + ";");
                break;
            case 4: {
                const char* ops[] = {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                     "max.s32", "and.b32", "or.b32",  "xor.b32"};
                b_.line({"redux.sync.", b_.random.pick(ops), " ", d, ", ", a, ", ", mask, ";"});
                break;
            }
            default: {
                const char* modes[] = {"up", "down", "bfly", "idx"};
                const std::string mode = b_.random.pick(modes);
                int segment = width;
                while (segment > 1 && b_.random.chance(35)) segment /= 2;
                const int c = (32 - segment) << 8 | (mode == "up" ? 0 : 31 & (segment - 1));
                pair = true;
                std::string lane = text(b_.random.below(40));
                if (b_.random.chance(60)) lane = word();
                if (mode == "bfly" && width < 32) {  // it may go to groups before its own
                    b_.line("mov.u32 %h1, " + lane + ";\nand.b32 %h1, %h1, " + text(width - 1) + ";");
                    lane = "%h1";
                }
                b_.line("shfl.sync." + mode + ".b32 " + d + "|" + p + ", " + a + ", " + lane + ", " + text(c) + ", " +
                        mask + ";");
            }
        }
        if (pair) {
            const std::string e = b_.fresh(32);
            b_.line("selp.u32 " + e + ", 1000, 0, " + p + ";\nadd.u32 " + d + ", " + d + ", " + e + ";");
        }
        if (kept) {
            b_.keep(d, "u32");
            words_.push_back(d);
        } else {
            b_.line("mad.lo.u32 " + into + ", " + into + ", 31, " + d + ";");
        }
    }

    std::string predicate() {
        const std::string p = b_.fresh(1);
        const char* tests[] = {"eq", "ne", "lt", "gt"};
        b_.line({"and.b32 %h0, ", word(), ", 3;\nsetp.", b_.random.pick(tests), ".u32 ", p, ", %h0, ",
                 text(b_.random.below(4)), ";"});
        return p;
    }

    // A branch by groups of lanes; both sides have operations with their own masks.
    void two_sides() {
        const int width = b_.random.chance(50) ? 4 : widest_ == 32 && b_.random.chance(40) ? 16 : 8;
        std::uint32_t yes = 0;
        for (int lane = 0; lane < 32; lane += width)
            if (b_.random.chance(50)) yes |= static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1) << lane;
        const std::string in = b_.fresh(32), out = b_.fresh(32), p = b_.fresh(1), sum = b_.fresh(32),
                          other = b_.label(), end = b_.label();
        b_.line("and.b32 " + in + ", " + all_ + ", " + hex(yes) + ";\nnot.b32 " + out + ", " + in + ";");
        b_.line("and.b32 " + out + ", " + out + ", " + all_ + ";\nmov.u32 " + sum + ", " + lane_ + ";");
        b_.line("shr.u32 %h0, " + in + ", " + lane_ + ";\nand.b32 %h0, %h0, 1;\nsetp.ne.u32 " + p + ", %h0, 0;");
        b_.line("@" + p + " bra " + other + ";");
        for (int n = b_.random.between(1, 4); n > 0; --n) operation(out, width, false, sum);
        b_.line("bra " + end + ";\n" + other + ":");
        for (int n = b_.random.between(1, 4); n > 0; --n) operation(in, width, false, sum);
        b_.line(end + ":\nbar.warp.sync " + all_ + ";");
        b_.keep(sum, "u32");
        words_.push_back(sum);
    }

    // A branch by data: the mask is the ballot's; shuffles ask the first lane of it.
    void by_data() {
        const std::string p = predicate(), mask = b_.fresh(32), sum = b_.fresh(32), end = b_.label(),
                          first = b_.fresh(32);
        b_.line("vote.sync.ballot.b32 " + mask + ", " + p + ", " + all_ + ";\nmov.u32 " + sum + ", 7;");
        b_.line("@!" + p + " bra " + end + ";");
        for (int n = b_.random.between(1, 4); n > 0; --n) operation(mask, 0, false, sum);
        b_.line("brev.b32 " + first + ", " + mask + ";\nclz.b32 " + first + ", " + first + ";");
        b_.line(
            {"shfl.sync.idx.b32 %h1, ", word(), ", ", first, ", 31, ", mask, ";\nadd.u32 ", sum, ", ", sum, ", %h1;"});
        if (b_.random.chance(50))
            b_.line("activemask.b32 %h1;\nor.b32 %h1, %h1, " + mask + ";\nadd.u32 " + sum + ", " + sum + ", %h1;");
        b_.line(end + ":\nbar.warp.sync " + all_ + ";");
        b_.keep(sum, "u32");
        words_.push_back(sum);
    }

    // A loop that lanes leave one after the other: the mask shrinks.
    void leaving() {
        const std::string mask = b_.fresh(32), sum = b_.fresh(32), count = b_.fresh(32), head = b_.label(),
                          end = b_.label(), p = b_.fresh(1), left = b_.fresh(32);
        b_.line({"and.b32 ", count, ", ", word(), ", 7;\nmov.u32 ", mask, ", ", all_, ";\nmov.u32 ", sum, ", 0;"});
        b_.line(head + ":\nsetp.gt.u32 " + p + ", " + count + ", 0;");
        b_.line("vote.sync.ballot.b32 " + left + ", " + p + ", " + mask + ";");
        b_.line("@!" + p + " bra " + end + ";\nmov.u32 " + mask + ", " + left + ";\nsub.u32 " + count + ", " + count +
                ", 1;");
        for (int n = b_.random.between(1, 3); n > 0; --n) operation(mask, 0, false, sum);
        b_.line("bra " + head + ";\n" + end + ":\nbar.warp.sync " + all_ + ";");
        b_.keep(sum, "u32");
        words_.push_back(sum);
    }

    Builder b_;
    std::vector<std::string> words_;
    std::string wide_, small_, lane_, all_;
    int widest_ = 32;
};

}  // namespace

std::vector<Kernel> warp_kernels() {
    std::vector<Kernel> kernels;
    for (int n = 0; n < 160; ++n)
        kernels.push_back(Warps("warp_" + text(n), 90'000 + static_cast<std::uint64_t>(n)).make());
    return kernels;
}

}  // namespace vgpu::differential
