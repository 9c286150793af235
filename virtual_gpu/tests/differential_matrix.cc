// Tensor cores: wmma's loads and stores in all layouts, from shared and global memory, and products of all shapes and
// types, by wmma and by mma.sync. Numbers are of all sizes, or near 1, with and without zeros among them.
#include "differential_builder.h"

namespace vgpu::differential {
namespace {

struct MatrixShape {
    int m, n, k;
    std::string name() const { return "m" + text(m) + "n" + text(n) + "k" + text(k); }
};

int bits_of_number(const std::string& t) {
    return t == "b1"                ? 1
           : t == "s4" || t == "u4" ? 4
           : t == "s8" || t == "u8" ? 8
           : t == "f64"             ? 64
           : t.ends_with("16")      ? 16
                                    : 32;
}

class Matrices {
  public:
    Matrices(const std::string& name, std::uint64_t seed) : b_(name, seed) {
        b_.shape(1, 64);
        kind_ = b_.random.below(4);
    }

    Kernel wmma() {
        struct Form {
            std::string number, sum;
            std::vector<MatrixShape> shapes;
        };
        const std::vector<MatrixShape> usual = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};
        const Form forms[] = {{"f16", "f32", usual},       {"f16", "f32", usual},          {"f16", "f16", usual},
                              {"bf16", "f32", usual},      {"tf32", "f32", {{16, 16, 8}}}, {"f64", "f64", {{8, 8, 4}}},
                              {"s8", "s32", usual},        {"u8", "s32", usual},           {"s4", "s32", {{8, 8, 32}}},
                              {"b1", "s32", {{8, 8, 128}}}};
        const Form& form = b_.random.pick(forms);
        const MatrixShape shape = b_.random.pick(form.shapes);
        const std::string& t = form.number;
        const bool is_small = bits_of_number(t) < 8;
        const std::string a_layout = is_small || b_.random.chance(50) ? "row" : "col";
        const std::string b_layout = is_small || b_.random.chance(50) ? "col" : "row";
        is_shared_ = b_.random.chance(60);
        is_generic_ = b_.random.chance(25);
        std::string sum = form.sum, result = form.sum;
        if (t == "f16" && b_.random.chance(20)) result = result == "f16" ? "f32" : "f16";
        places();
        const std::string a = load('a', shape, t, a_layout, shape.m, shape.k);
        const std::string b = load('b', shape, t, b_layout, shape.k, shape.n);
        const std::string c = load('c', shape, sum, layout(), shape.m, shape.n);
        const std::string d = fragment(shape.m * shape.n / 32, result);
        std::string types = t == "f16" ? "." + result + "." + sum : "." + result + "." + t + "." + t + "." + sum;
        if (t[0] == 'f' && t.ends_with("64"))
            types += b_.random.pick(std::vector<std::string>{"", ".rn", ".rz", ".rm", ".rp"});
        if ((t == "s8" || t == "u8" || t == "s4") && b_.random.chance(40)) types += ".satfinite";
        const std::string bits = t == "b1" ? (b_.random.chance(50) ? ".xor.popc" : ".and.popc") : "";
        b_.line("wmma.mma" + bits + ".sync.aligned." + a_layout + "." + b_layout + "." + shape.name() + types + " " +
                d + ", " + a + ", " + b + ", " + c + ";");
        store(d, shape, result);
        return b_.finish();
    }

    Kernel mma() {
        struct Form {
            std::string a, b, sum;
            MatrixShape shape;
        };
        const Form forms[] = {{"f16", "f16", "f32", {16, 8, 8}},   {"f16", "f16", "f32", {16, 8, 16}},
                              {"f16", "f16", "f16", {16, 8, 8}},   {"f16", "f16", "f16", {16, 8, 16}},
                              {"bf16", "bf16", "f32", {16, 8, 8}}, {"bf16", "bf16", "f32", {16, 8, 16}},
                              {"tf32", "tf32", "f32", {16, 8, 4}}, {"tf32", "tf32", "f32", {16, 8, 8}},
                              {"f64", "f64", "f64", {8, 8, 4}},    {"f64", "f64", "f64", {16, 8, 4}},
                              {"s8", "u8", "s32", {8, 8, 16}},     {"u8", "s8", "s32", {16, 8, 16}},
                              {"s8", "s8", "s32", {16, 8, 32}},    {"s4", "u4", "s32", {8, 8, 32}},
                              {"u4", "s4", "s32", {16, 8, 32}},    {"s4", "s4", "s32", {16, 8, 64}},
                              {"b1", "b1", "s32", {8, 8, 128}},    {"b1", "b1", "s32", {16, 8, 128}},
                              {"b1", "b1", "s32", {16, 8, 256}}};
        const Form& form = b_.random.pick(forms);
        const MatrixShape& s = form.shape;
        const std::string a = given(s.m * s.k, form.a), b = given(s.k * s.n, form.b), c = given(s.m * s.n, form.sum);
        const std::string d = fragment(s.m * s.n / 32, form.sum);
        const std::string sat = form.sum == "s32" && form.a != "b1" && b_.random.chance(40) ? ".satfinite" : "";
        const std::string bits = form.a != "b1" ? "" : b_.random.chance(50) ? ".xor.popc" : ".and.popc";
        const std::string name = "mma.sync.aligned." + s.name() + ".row.col" + sat + "." + form.sum + "." + form.a +
                                 "." + form.b + "." + form.sum + bits + " ";
        b_.line(name + d + ", " + a + ", " + b + ", " + c + ";");
        b_.line(name + d + ", " + a + ", " + b + ", " + d + ";");
        for (const std::string& r : last_) b_.keep(r, form.sum == "f64" ? "u64" : "u32");
        return b_.finish();
    }

  private:
    std::string layout() { return b_.random.chance(50) ? "row" : "col"; }

    // A word of numbers of this type, none of them a NaN of which a sum might choose another.
    std::string word(const std::string& t) {
        const bool is_pair = t.ends_with("16"), is_wide = t == "f64";
        const std::string from = b_.value(is_wide                     ? "f64"
                                          : is_pair                   ? t + "x2"
                                          : t == "f32" || t == "tf32" ? "f32"
                                                                      : "u32",
                                          70);
        const std::string x = b_.fresh(is_wide ? 64 : 32), w = is_wide ? "b64 " : "b32 ";
        b_.line("mov." + w + x + ", " + from + ";");
        if (t[0] == 's' || t[0] == 'u' || t == "b1") return x;
        if (kind_ == 0 && !is_wide) return x;
        const bool is_half = t == "f16";
        if (kind_ == 2) {
            b_.line("and." + w + x + ", " + x + ", " +
                    (is_wide   ? "0x800FFFFFFFFFFFFF"
                     : is_half ? "0x87FF87FF"
                     : is_pair ? "0x80FF80FF"
                               : "0x80FFFFFF") +
                    ";");
            b_.line("or." + w + x + ", " + x + ", " +
                    (is_wide   ? "0x3FF0000000000000"
                     : is_half ? "0x30003000"
                     : is_pair ? "0x3F003F00"
                               : "0x3F000000") +
                    ";");
            return x;
        }
        b_.line("and." + w + x + ", " + x + ", " +
                (is_wide   ? "0xBFFFFFFFFFFFFFFF"
                 : is_pair ? "0xBFFFBFFF"
                           : "0xBFFFFFFF") +
                ";");
        if (kind_ == 3) {  // many zeros
            const std::string mask = b_.fresh(32);
            b_.line("mul.lo.u32 " + mask + ", %t, " + text(2 * b_.random.below(30'000) + 30'001) + ";");
            b_.line("and.b32 " + mask + ", " + mask + ", " + (is_pair ? "0x00800080" : "0x80") + ";");
            if (is_pair)
                b_.line("shr.u32 " + mask + ", " + mask + ", 7;\nmul.lo.u32 " + mask + ", " + mask + ", 0xFFFF;");
            else
                b_.line("shl.b32 " + mask + ", " + mask + ", 24;\nshr.s32 " + mask + ", " + mask + ", 31;");
            if (is_wide)
                b_.line("cvt.s64.s32 %s, " + mask + ";\nand.b64 " + x + ", " + x + ", %s;");
            else
                b_.line("and.b32 " + x + ", " + x + ", " + mask + ";");
        }
        return x;
    }

    // Registers of a fragment, as "{...}".
    std::string list(const std::vector<std::string>& registers) {
        std::string out;
        for (const std::string& r : registers) out += (out.empty() ? "{" : ", ") + r;
        return out + "}";
    }
    static int registers_of(int elements, const std::string& t) {
        return t == "f64" ? elements : elements * bits_of_number(t) / 32;
    }
    std::string fragment(int elements, const std::string& t) {
        last_.clear();
        for (int n = 0; n < std::max(1, registers_of(elements, t)); ++n)
            last_.push_back(b_.fresh(t == "f64" ? 64 : 32));
        return list(last_);
    }
    std::string given(int elements, const std::string& t) {
        const int bits = t == "f64" ? 64 : 32;
        std::vector<std::string> words;
        for (int n = 0; n < elements * bits_of_number(t) / 32 / bits; ++n) words.push_back(word(t));
        return list(words);
    }

    // ---- wmma: matrices in memory ----

    static constexpr int kBytes = 1536;  // of a matrix and its padding

    void places() {
        const std::string shared = b_.name() + "_matrices";
        if (is_shared_) b_.before(".shared .align 32 .b8 " + shared + "[" + text(6 * kBytes) + "];");
        at_ = b_.fresh(64);
        b_.line(is_shared_ ? "mov.u64 " + at_ + ", " + shared + ";" : "mov.u64 " + at_ + ", %scratch;");
        b_.line("shr.u32 %h0, %row, 5;\nmul.wide.u32 %s, %h0, " + text(3 * kBytes) + ";\nadd.u64 " + at_ + ", " + at_ +
                ", %s;");
        generic_ = b_.fresh(64);
        if (is_shared_)
            b_.line("cvta.shared.u64 " + generic_ + ", " + at_ + ";");
        else
            b_.line("mov.u64 " + generic_ + ", " + at_ + ";");
        own_ = b_.fresh(64);
        b_.line("mov.u32 %h0, %laneid;\nmul.wide.u32 %s, %h0, 4;\nadd.u64 " + own_ + ", " + at_ + ", %s;");
    }
    std::string space() const { return is_shared_ ? ".shared" : ".global"; }
    // Where the matrix is, and how its lines follow each other.
    std::string place(char part) const {
        return "[" + (is_generic_ ? generic_ : at_) + "+" + text((part - 'a') * kBytes) + "]";
    }
    int stride(const std::string& t, const std::string& layout, int rows, int columns) {
        const int width = layout == "row" ? columns : rows, lines = layout == "row" ? rows : columns;
        const int padding = 128 / bits_of_number(t) * b_.random.below(3);
        const bool fits = (width + padding) * lines * bits_of_number(t) / 8 <= kBytes;
        return fits && width * bits_of_number(t) % 128 == 0 ? width + padding : width;
    }

    std::string load(char part, const MatrixShape& shape, const std::string& t, const std::string& layout, int rows,
                     int columns) {
        const int step = stride(t, layout, rows, columns), lines = layout == "row" ? rows : columns;
        const int words = (step * lines * bits_of_number(t) / 32 + 31) / 32;
        std::vector<std::string> made;
        for (int n = 0; n < words; ++n) {
            const std::string to = "[" + own_ + "+" + text((part - 'a') * kBytes + n * 128) + "]";
            if (made.size() < 4 && t != "f64") made.push_back(word(t));
            if (t == "f64") {  // the upper half of each has the exponent
                const std::string x = word("f32");
                b_.line("st" + space() + ".b32 " + to + ", " + x + ";");
                continue;
            }
            b_.line("st" + space() + ".b32 " + to + ", " + made[static_cast<std::size_t>(n) % made.size()] + ";");
        }
        b_.line("bar.warp.sync -1;");
        const int registers = t == "f16" && part != 'c' ? 8 : std::max(1, rows * columns * bits_of_number(t) / 1024);
        std::vector<std::string> to;
        for (int n = 0; n < (t == "f64" ? rows * columns / 32 : registers); ++n)
            to.push_back(b_.fresh(t == "f64" ? 64 : 32));
        b_.line(std::string("wmma.load.") + part + ".sync.aligned." + layout + "." + shape.name() +
                (is_generic_ ? "" : space()) + "." + t + " " + list(to) + ", " + place(part) + ", " + text(step) + ";");
        return list(to);
    }

    void store(const std::string& d, const MatrixShape& shape, const std::string& t) {
        const std::string l = layout();
        const int width = l == "row" ? shape.n : shape.m;
        b_.line("bar.warp.sync -1;");
        b_.line("wmma.store.d.sync.aligned." + l + "." + shape.name() + (is_generic_ ? "" : space()) + "." + t + " " +
                place('c') + ", " + d + ", " + text(width) + ";\nbar.warp.sync -1;");
        for (int n = 0; n < shape.m * shape.n * bits_of_number(t) / 1024; ++n) {
            const std::string r = b_.fresh(32);
            b_.line("ld" + space() + ".b32 " + r + ", [" + own_ + "+" + text(2 * kBytes + n * 128) + "];");
            b_.keep(r, "u32");
        }
    }

    Builder b_;
    int kind_;
    bool is_shared_ = true, is_generic_ = false;
    std::string at_, generic_, own_;
    std::vector<std::string> last_;
};

}  // namespace

std::vector<Kernel> matrix_kernels() {
    std::vector<Kernel> kernels;
    for (int n = 0; n < 200; ++n) {
        const auto seed = 120'000 + static_cast<std::uint64_t>(n);
        kernels.push_back(n % 2 == 0 ? Matrices("matrix_wmma_" + text(n), seed).wmma()
                                     : Matrices("matrix_mma_" + text(n), seed).mma());
    }
    return kernels;
}

}  // namespace vgpu::differential
