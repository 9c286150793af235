#include "virtual_gpu/ptx/products.h"

#include <algorithm>
#include <unordered_map>

#include "virtual_gpu/ptx/blocks.h"

namespace vgpu::ptx {
namespace {

// An operation of single or double precision for which ptxas may choose the rounding.
bool is_free(const Instruction& i) {
    static constexpr std::string_view kFixed[] = {"rn", "rz", "rm", "rp", "sat"};
    return i.operands.size() == 3 && (i.has("f32") || i.has("f64")) &&
           std::none_of(std::begin(kFixed), std::end(kFixed), [&](std::string_view m) { return i.has(m); });
}

bool is_product(const Instruction& i) {
    return i.opcode == Opcode::mul && i.guard < 0 && is_free(i) && i.operands[0].kind == Operand::Kind::reg;
}

// ptxas looks through these, too.
bool is_copy(const Instruction& i) {
    return (i.opcode == Opcode::neg || i.opcode == Opcode::mov) && i.guard < 0 && i.operands.size() == 2 &&
           (i.has("f32") || i.has("f64")) && i.operands[0].kind == Operand::Kind::reg &&
           i.operands[1].kind == Operand::Kind::reg;
}

bool is_sum(const Instruction& i) { return (i.opcode == Opcode::add || i.opcode == Opcode::sub) && is_free(i); }

bool is_register(const Operand& o, int r) { return o.kind == Operand::Kind::reg && o.index == r; }

class Products {
  public:
    explicit Products(Function& f) : f_(f), at_(f.registers.size()), written_at_(f.registers.size()) {
        for (std::uint32_t n = 0; n < f.body.size(); ++n) note(n);
    }

    void fuse() {
        for (const Block& b : Blocks(f_).all)
            for (std::uint32_t n = b.begin; n < b.end; ++n) {
                const Instruction& sum = f_.body[n];
                if (!is_sum(sum)) continue;
                for (const std::size_t operand : {1u, 2u}) {
                    const auto [product, is_negated] = product_of(n, operand);
                    if (product == kNone) continue;
                    const auto [known, is_new] = fuses_.try_emplace(product, false);
                    if (is_new) known->second = all_fuse(product, b);
                    if (!known->second) continue;
                    fuse(n, operand, f_.body[product], is_negated);
                    break;
                }
            }
    }

  private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    void note(std::uint32_t n) {
        const auto seen = [&](int r) {
            auto& at = at_[static_cast<std::size_t>(r)];
            if (at.empty() || at.back() != n) at.push_back(n);
        };
        const Instruction& i = f_.body[n];
        for (const Operand& o : i.operands) each_register(o, seen);
        if (!i.operands.empty())
            each_register(i.operands[0], [&](int r) { written_at_[static_cast<std::size_t>(r)].push_back(n); });
        if (i.guard >= 0) seen(i.guard);
        if (i.call && i.call->callee_register >= 0) seen(i.call->callee_register);
    }

    struct Found {
        std::uint32_t product = kNone;
        bool is_negated = false;
    };
    // The product that this operand of a sum is: the first instruction with its register, or with that of which it is a
    // copy.
    Found product_of(std::uint32_t sum, std::size_t operand) const {
        Found found;
        const Operand* o = &f_.body[sum].operands[operand];
        for (std::uint32_t before = sum; o->kind == Operand::Kind::reg;) {
            const std::uint32_t first = at_[static_cast<std::size_t>(o->index)].front();
            const Instruction& i = f_.body[first];
            if (first >= before || !is_register(i.operands[0], o->index)) break;
            if (is_product(i)) return {first, found.is_negated};
            if (!is_copy(i)) break;
            found.is_negated ^= i.opcode == Opcode::neg;
            o = &i.operands[1];
            before = first;
        }
        return {};
    }

    bool all_fuse(std::uint32_t product, const Block& b) const {
        if (product < b.begin || product >= b.end) return false;
        const Instruction& mul = f_.body[product];
        const int r = mul.operands[0].index;
        if (is_register(mul.operands[1], r) || is_register(mul.operands[2], r)) return false;
        std::uint32_t last = product;
        return all_take(r, mul, b, last) && !changes(product, last, mul);
    }

    // Whether all uses of the register, in which the product is, are such sums. `last`: the last one.
    bool all_take(int r, const Instruction& mul, const Block& b, std::uint32_t& last) const {
        const auto& uses = at_[static_cast<std::size_t>(r)];
        for (std::size_t u = 1; u < uses.size(); ++u) {
            const Instruction& i = f_.body[uses[u]];
            if (uses[u] >= b.end) return false;
            last = std::max(last, uses[u]);
            if (takes(i, mul, r)) continue;
            const int copy = is_copy(i) ? i.operands[0].index : r;
            if (copy == r || i.has("f64") != mul.has("f64") ||
                (i.opcode == Opcode::neg && i.has("ftz") != mul.has("ftz")))
                return false;
            if (at_[static_cast<std::size_t>(copy)].front() != uses[u] || !all_take(copy, mul, b, last)) return false;
        }
        return uses.size() > 1;
    }

    static bool takes(const Instruction& i, const Instruction& mul, int r) {
        return is_sum(i) && !is_register(i.operands[0], r) &&
               is_register(i.operands[1], r) != is_register(i.operands[2], r) && i.has("f64") == mul.has("f64") &&
               i.has("ftz") == mul.has("ftz");
    }

    // Whether an instruction before the last use writes a factor.
    bool changes(std::uint32_t product, std::uint32_t last, const Instruction& mul) const {
        return std::any_of(mul.operands.begin() + 1, mul.operands.end(), [&](const Operand& factor) {
            if (factor.kind != Operand::Kind::reg) return false;
            const auto& at = written_at_[static_cast<std::size_t>(factor.index)];
            const auto next = std::upper_bound(at.begin(), at.end(), product);
            return next != at.end() && *next < last;
        });
    }

    void fuse(std::uint32_t n, std::size_t operand, const Instruction& mul, bool is_negated) {
        Instruction& i = f_.body[n];
        Operand first = mul.operands[1], other = i.operands[3 - operand];
        if (i.opcode == Opcode::sub) (operand == 2 ? first : other).negated = true;
        first.negated ^= is_negated;
        i.operands = {i.operands[0], first, mul.operands[2], other};
        i.opcode = Opcode::fma;
        i.modifiers.insert(i.modifiers.begin(), "rn");
    }

    Function& f_;
    std::vector<std::vector<std::uint32_t>> at_, written_at_;  // by register: instructions that mention it, or write it
    std::unordered_map<std::uint32_t, bool> fuses_;            // by product, once it is known
};

}  // namespace

void fuse_products(Function& f) { Products(f).fuse(); }

}  // namespace vgpu::ptx
