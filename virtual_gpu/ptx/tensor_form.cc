#include "virtual_gpu/ptx/tensor_form.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace vgpu::ptx {
namespace {

struct Named {
    std::string_view name;
    Number number;
    int bits;
};
constexpr std::array kNumbers = std::to_array<Named>({{"f16", Number::f16, 16},
                                                      {"bf16", Number::bf16, 16},
                                                      {"tf32", Number::tf32, 32},
                                                      {"f32", Number::f32, 32},
                                                      {"f64", Number::f64, 64},
                                                      {"s8", Number::s8, 8},
                                                      {"u8", Number::u8, 8},
                                                      {"s4", Number::s4, 4},
                                                      {"u4", Number::u4, 4},
                                                      {"b1", Number::b1, 1},
                                                      {"s32", Number::s32, 32}});

struct Shape {
    std::string_view name;
    int m, n, k;
};
constexpr std::array kShapes = std::to_array<Shape>({{"m16n16k16", 16, 16, 16},
                                                     {"m8n32k16", 8, 32, 16},
                                                     {"m32n8k16", 32, 8, 16},
                                                     {"m16n16k8", 16, 16, 8},
                                                     {"m8n8k4", 8, 8, 4},
                                                     {"m8n8k32", 8, 8, 32},
                                                     {"m8n8k128", 8, 8, 128},
                                                     {"m16n8k4", 16, 8, 4},
                                                     {"m16n8k8", 16, 8, 8},
                                                     {"m16n8k16", 16, 8, 16},
                                                     {"m8n8k16", 8, 8, 16},
                                                     {"m16n8k32", 16, 8, 32},
                                                     {"m16n8k64", 16, 8, 64},
                                                     {"m16n8k128", 16, 8, 128},
                                                     {"m16n8k256", 16, 8, 256}});

// Which shapes there are for elements of a and b, and the first target with each.
struct Product {
    bool is_wmma;
    std::string_view numbers, shapes;  // each word between blanks
    int capability;
};
constexpr std::array kProducts = std::to_array<Product>({
    {true, " f16 ", " m16n16k16 m8n32k16 m32n8k16 ", 70},
    {true, " s8 u8 ", " m16n16k16 m8n32k16 m32n8k16 ", 72},
    {true, " bf16 ", " m16n16k16 m8n32k16 m32n8k16 ", 80},
    {true, " tf32 ", " m16n16k8 ", 80},
    {true, " f64 ", " m8n8k4 ", 80},
    {true, " s4 u4 ", " m8n8k32 ", 75},
    {true, " b1 ", " m8n8k128 ", 75},
    {false, " f16 ", " m16n8k8 ", 75},
    {false, " f16 ", " m16n8k16 ", 80},
    {false, " bf16 ", " m16n8k8 m16n8k16 ", 80},
    {false, " tf32 ", " m16n8k4 m16n8k8 ", 80},
    {false, " f64 ", " m8n8k4 ", 80},
    {false, " f64 ", " m16n8k4 m16n8k8 m16n8k16 ", 90},
    {false, " s8 u8 ", " m8n8k16 ", 75},
    {false, " s8 u8 ", " m16n8k16 m16n8k32 ", 80},
    {false, " s4 u4 ", " m8n8k32 ", 75},
    {false, " s4 u4 ", " m16n8k32 m16n8k64 ", 80},
    {false, " b1 ", " m8n8k128 ", 75},
    {false, " b1 ", " m16n8k128 m16n8k256 ", 80},
});

bool is_integer(Number n) { return n >= Number::s8; }
bool is_word(std::string_view list, std::string_view word) {
    return list.find(" " + std::string(word) + " ") != std::string_view::npos;
}
std::string_view name_of(Number n) { return kNumbers[static_cast<std::size_t>(n)].name; }
std::string_view shape_of(const TensorForm& f) {
    return std::ranges::find_if(kShapes, [&](const Shape& s) { return s.m == f.m && s.n == f.n && s.k == f.k; })->name;
}

const Product* product_of(const TensorForm& f) {
    const auto* const found = std::ranges::find_if(kProducts, [&](const Product& p) {
        return p.is_wmma == f.is_wmma && is_word(p.numbers, name_of(f.a)) && is_word(p.shapes, shape_of(f));
    });
    return found == kProducts.end() ? nullptr : found;
}

// Takes an instruction's modifiers one after the other.
class FormWords {
  public:
    explicit FormWords(const Instruction& i) : words_(i.modifiers) {}
    bool take(std::string_view word) {
        if (at_ == words_.size() || words_[at_] != word) return false;
        ++at_;
        return true;
    }
    template <class List, class Value>
    bool take_one(const List& list, Value&& value) {
        for (const auto& one : list)
            if (take(one.name)) {
                value(one);
                return true;
            }
        return false;
    }
    bool number(Number& out) {
        return take_one(kNumbers, [&](const Named& n) { out = n.number; });
    }
    bool shape(TensorForm& f) {
        return take_one(kShapes, [&](const Shape& s) { f.m = s.m, f.n = s.n, f.k = s.k; });
    }
    bool layout(bool& columns_first) {
        columns_first = take("col");
        return columns_first || take("row");
    }
    bool sync() { return take("sync") && take("aligned"); }
    bool ends() const { return at_ == words_.size(); }

  private:
    const std::vector<std::string>& words_;
    std::size_t at_ = 0;
};

bool popc(FormWords& w, TensorForm& f) {
    f.has_and = w.take("and");
    return (f.has_and || w.take("xor")) && w.take("popc");
}

// The numbers that c and d may be, and how a sum is cut to them.
bool has_sums(const TensorForm& f) {
    if (f.b != f.a) {
        const bool both_8 = bits_of(f.a) == 8 && bits_of(f.b) == 8, both_4 = bits_of(f.a) == 4 && bits_of(f.b) == 4;
        if (f.is_wmma || !(both_8 || both_4)) return false;
    }
    if (f.saturates && (!is_integer(f.a) || f.a == Number::b1)) return false;
    switch (f.a) {
        case Number::f16: {
            const auto is_float = [](Number n) { return n == Number::f16 || n == Number::f32; };
            return is_float(f.c) && is_float(f.d) && (f.is_wmma || f.c == f.d);
        }
        case Number::bf16:
        case Number::tf32:
            return f.c == Number::f32 && f.d == Number::f32;
        case Number::f64:
            return f.c == Number::f64 && f.d == Number::f64;
        default:
            return f.c == Number::s32 && f.d == Number::s32;
    }
}

bool multiply_wmma(FormWords& w, TensorForm& f) {
    bool a_columns = false, b_columns = false;
    const bool has_bits = popc(w, f);
    if (!w.sync() || !w.layout(a_columns) || !w.layout(b_columns) || !w.shape(f) || !w.number(f.d)) return false;
    if (!w.number(f.a)) return false;
    if (w.number(f.b)) {
        if (f.a == Number::f16 || !w.number(f.c)) return false;
    } else {  // d and c; the factors are f16
        f.c = f.a;
        f.a = f.b = Number::f16;
    }
    f.saturates = w.take("satfinite");
    if (f.a == Number::f64) {
        f.rounding = w.take("rz")   ? Rounding::zero
                     : w.take("rm") ? Rounding::down
                     : w.take("rp") ? Rounding::up
                                    : Rounding::nearest;
        w.take("rn");
    }
    if (has_bits != (f.a == Number::b1)) return false;
    return bits_of(f.a) >= 8 || (!a_columns && b_columns);
}

bool multiply_mma(FormWords& w, TensorForm& f) {
    if (!w.sync() || !w.shape(f) || !w.take("row") || !w.take("col")) return false;
    f.saturates = w.take("satfinite");
    if (!w.number(f.d) || !w.number(f.a) || !w.number(f.b) || !w.number(f.c)) return false;
    return popc(w, f) == (f.a == Number::b1);
}

bool move_wmma(FormWords& w, TensorForm& f) {
    if (f.work == TensorWork::store ? !w.take("d") : !(w.take("a") || w.take("b") || w.take("c"))) return false;
    Number n{};
    if (!w.sync() || !w.layout(f.columns_first) || !w.shape(f)) return false;
    if (!w.take("global") && !w.take("shared")) w.take("shared::cta");
    if (!w.number(n)) return false;
    f.a = f.b = f.c = f.d = n;
    if (f.part != 'c') {
        const bool is_along = f.columns_first == (f.part == 'b');
        return product_of(f) != nullptr && (bits_of(n) >= 8 || is_along);
    }
    if (n != Number::f16 && n != Number::f32 && n != Number::f64 && n != Number::s32) return false;
    // A shape whose products have such sums.
    return std::ranges::any_of(kNumbers, [&](const Named& factor) {
        TensorForm product = f;
        product.a = product.b = factor.number;
        return product_of(product) != nullptr && has_sums(product);
    });
}

void add_tiles(MatrixFragment& f, int lines_at_once) {
    const int width = 4 * f.unit;
    for (int block = 0; block < f.lines; block += lines_at_once)
        for (int along = 0; along < f.along; along += width)
            for (int line = block; line < std::min(block + lines_at_once, f.lines); line += 8)
                f.tiles.push_back({line, along});
}

}  // namespace

int bits_of(Number n) { return kNumbers[static_cast<std::size_t>(n)].bits; }

std::optional<TensorForm> tensor_form(const Instruction& i) {
    TensorForm f;
    FormWords w(i);
    f.is_wmma = i.opcode == Opcode::wmma;
    bool is_known = false;
    if (f.is_wmma && (w.take("load") || w.take("store"))) {
        f.work = i.has("load") ? TensorWork::load : TensorWork::store;
        f.part = f.work == TensorWork::load && (i.has("a") || i.has("b")) ? i.has("a") ? 'a' : 'b' : 'c';
        is_known = move_wmma(w, f);
    } else {
        f.work = TensorWork::multiply;
        is_known = f.is_wmma ? w.take("mma") && multiply_wmma(w, f) : i.opcode == Opcode::mma && multiply_mma(w, f);
        is_known = is_known && product_of(f) != nullptr && has_sums(f);
    }
    if (!is_known || !w.ends()) return std::nullopt;
    return f;
}

bool is_missing_tensor_form(const Instruction& i) {
    constexpr std::array<std::string_view, 7> kMissing = {"sp", "block_scale", "e4m3", "e5m2", "e2m1", "e3m2", "e2m3"};
    return std::ranges::any_of(i.modifiers,
                               [&](const std::string& m) {
                                   return m.starts_with("kind::") || m.starts_with("sp::") ||
                                          std::ranges::find(kMissing, m) != kMissing.end();
                               }) ||
           (i.opcode == Opcode::mma && i.has("m8n8k4") && i.has("f16"));
}

int capability_of(const TensorForm& f) {
    const Product* const product = product_of(f);
    return product ? product->capability : 70;
}

std::size_t operands_of(const TensorForm& f) { return f.work == TensorWork::multiply ? 4 : 2; }

MatrixFragment fragment_of(const TensorForm& form, char part) {
    const Number number = part == 'a' ? form.a : part == 'b' ? form.b : part == 'c' ? form.c : form.d;
    const bool is_sum = part == 'c' || part == 'd';
    // An H100 multiplies m8n32k16 as its transpose: b takes the place of a.
    const bool is_transposed = form.is_wmma && form.n == 32;
    MatrixFragment f;
    f.is_by_column = part == 'b' || (is_sum && is_transposed);
    f.lines = f.is_by_column ? form.n : form.m;
    f.along = !is_sum ? form.k : f.is_by_column ? form.m : form.n;
    const int bits = bits_of(number);
    f.bytes = std::max(bits, 8) / 8;
    if (bits < 8) f.bytes = 4, f.along = f.along * bits / 32;
    f.unit = is_sum ? 2 : std::max(1, 4 / f.bytes);
    const bool is_tall = part == (is_transposed ? 'b' : 'a');
    add_tiles(f, is_sum ? f.lines : is_tall ? 16 : 8);
    f.register_type = number == Number::f64 ? Type::f64 : number == Number::f32 ? Type::f32 : Type::b32;
    f.registers = f.distinct_registers();
    // As on the first GPUs with tensor cores, which held each element several times.
    constexpr int kHalfRegisters = 8;
    if (form.is_wmma && !is_sum && number == Number::f16) f.registers = kHalfRegisters;
    return f;
}

}  // namespace vgpu::ptx
