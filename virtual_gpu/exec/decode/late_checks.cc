#include "virtual_gpu/exec/decode/late_checks.h"

#include <algorithm>
#include <string_view>

namespace vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;

constexpr std::uint32_t kNowhere = ~0u;

bool is_branch(const Instruction& i) { return i.is(ptx::kJumps | ptx::kEnds); }
bool is_copy(const Instruction& i) { return i.opcode == Opcode::mov || i.opcode == Opcode::cvta; }

// Instructions that do nothing but compute their first operand from the others.
bool only_computes(const Instruction& i) { return i.guard < 0 && i.is(ptx::kPure) && !is_copy(i); }

bool is_plain_load(const Instruction& i) {
    if (i.opcode != Opcode::ld || i.guard >= 0 || i.operands.size() != 2) return false;
    static constexpr std::string_view kOthers[] = {"param", "local", "const", "param::entry", "param::func"};
    return i.operands[0].kind == Operand::Kind::reg && i.operands[1].kind == Operand::Kind::address &&
           i.operands[1].elements.empty() && !is_strong(i) &&
           std::ranges::none_of(kOthers, [&](std::string_view m) { return i.has(m); });
}

// What the check of a load may not be moved across.
bool orders(const Instruction& i) {
    if (i.opcode == Opcode::ld || i.opcode == Opcode::st) return is_strong(i);
    return !only_computes(i) && !is_copy(i) && !is_branch(i);
}

struct RegisterUse {
    std::uint32_t at = 0;
    bool is_guard = false;
};

class Finder {
  public:
    explicit Finder(const ptx::Function& f) : f_(f), definitions_(f.registers.size()), uses_(f.registers.size()) {
        leads_.assign(f.body.size() + 1, false);
        for (std::uint32_t n = 0; n < f.body.size(); ++n) note(n);
    }

    std::vector<LateCheck> find() {
        std::vector<LateCheck> found;
        for (std::uint32_t n = 0; n < f_.body.size(); ++n) {
            const Instruction& i = f_.body[n];
            if (!is_plain_load(i)) continue;
            const int address = i.operands[1].index;
            if (address >= 0 && definitions_[static_cast<std::size_t>(address)] != 1) continue;
            load_ = n;
            end_ = end_of_block(n);
            checks_.clear();
            const int result = i.operands[0].index;
            const bool is_late = definitions_[static_cast<std::size_t>(result)] == 1
                                     ? end_ != kNowhere && counts_only_if(result) && !checks_.empty() && !is_ordered()
                                     : always_dropped(result) && !checks_.empty();
            if (is_late) found.insert(found.end(), checks_.begin(), checks_.end());
        }
        std::sort(found.begin(), found.end(),
                  [](const LateCheck& a, const LateCheck& b) { return a.before < b.before; });
        return found;
    }

  private:
    void note(std::uint32_t n) {
        const Instruction& i = f_.body[n];
        const auto leads_to = [&](int target) { leads_[static_cast<std::size_t>(target)] = true; };
        for (std::size_t k = 0; k < i.operands.size(); ++k) {
            const Operand& op = i.operands[k];
            if (op.kind == Operand::Kind::label) leads_to(op.index);
            for (int t : op.targets) leads_to(t);
            const bool writes = k == 0 && has_result(i);
            each_register(op, [&](int r) {
                if (writes) ++definitions_[static_cast<std::size_t>(r)];
                if (!writes || !(only_computes(i) || i.opcode == Opcode::ld || is_copy(i)))
                    uses_[static_cast<std::size_t>(r)].push_back({n});
            });
        }
        if (i.guard >= 0) uses_[static_cast<std::size_t>(i.guard)].push_back({n, true});
        if (i.call && i.call->callee_register >= 0)
            uses_[static_cast<std::size_t>(i.call->callee_register)].push_back({n});
    }

    // The conditional branch that ends the block.
    std::uint32_t end_of_block(std::uint32_t n) const {
        for (++n; n < f_.body.size() && !leads_[n]; ++n)
            if (is_branch(f_.body[n])) return f_.body[n].opcode == Opcode::bra ? n : kNowhere;
        return kNowhere;
    }

    bool is_ordered() const {
        const std::uint32_t last = std::max_element(checks_.begin(), checks_.end(), [](const auto& a, const auto& b) {
                                       return a.before < b.before;
                                   })->before;
        for (std::uint32_t n = load_ + 1; n < last; ++n)
            if (orders(f_.body[n])) return true;
        return false;
    }

    bool is_in_block(std::uint32_t n) const { return n > load_ && n <= end_; }

    // Whether only lanes that a predicate selects use the register's value; if so, adds their checks.
    // `depth`: of computations from the loaded value. It ends the search where a value is computed from itself.
    bool counts_only_if(int r, int depth = 0) {
        constexpr int kDeepest = 64;
        if (definitions_[static_cast<std::size_t>(r)] != 1 || depth > kDeepest) return false;
        bool beyond = false;
        for (const RegisterUse& use : uses_[static_cast<std::size_t>(r)]) {
            if (!is_in_block(use.at)) {
                beyond = true;
                continue;
            }
            const Instruction& i = f_.body[use.at];
            if (use.is_guard || !only_computes(i) || i.operands[0].kind != Operand::Kind::reg) return false;
            if (!drops(i, use.at, r) && !counts_only_if(i.operands[0].index, depth + 1)) return false;
        }
        return !beyond || counts_on_one_side(r);
    }

    // nvcc may load a variable on two paths if some thread needs it after they meet. Whether every use after that point
    // depends on a predicate that is known at the load.
    bool always_dropped(int r) {
        for (const RegisterUse& use : uses_[static_cast<std::size_t>(r)]) {
            if (!reaches(load_ + 1, use.at, load_)) continue;  // it is a use of another definition
            const Instruction& i = f_.body[use.at];
            if (use.is_guard || !only_computes(i) || !drops(i, use.at, r)) return false;
            LateCheck& check = checks_.back();
            check.before = load_;
            const auto predicate = static_cast<std::size_t>(check.predicate);
            if (definitions_[predicate] != 1) return false;
            const std::uint32_t defined = defined_at(check.predicate);
            if (reaches(load_ + 1, defined, load_) || reaches(0, load_, defined)) return false;
        }
        return true;
    }

    std::uint32_t defined_at(int r) const {
        for (std::uint32_t n = 0; n < f_.body.size(); ++n) {
            bool defines = false;
            if (has_result(f_.body[n]))
                each_register(f_.body[n].operands[0], [&](int other) { defines |= other == r; });
            if (defines) return n;
        }
        return kNowhere;
    }

    // Whether a path leads from one instruction to the other that does not pass a third.
    bool reaches(std::uint32_t from, std::uint32_t to, std::uint32_t without) const {
        return any_from(from, without, [&](std::uint32_t n) { return n == to; });
    }

    // Whether the instruction takes the register's value only where another operand says so.
    bool drops(const Instruction& i, std::uint32_t at, int r) {
        const auto is_register = [](const Operand& op) { return op.kind == Operand::Kind::reg; };
        if (i.operands.size() == 3 && (i.opcode == Opcode::and_ || i.opcode == Opcode::or_) && i.has("pred")) {
            const Operand& other = i.operands[i.operands[1].index == r ? 2 : 1];
            if (!is_register(other) || other.index == r) return false;
            checks_.push_back({load_, at, other.index, (i.opcode == Opcode::or_) != other.negated});
            return true;
        }
        if (i.opcode == Opcode::selp && i.operands.size() == 4 && is_register(i.operands[3]) &&
            i.operands[3].index != r) {
            const bool first = is_register(i.operands[1]) && i.operands[1].index == r;
            const bool second = is_register(i.operands[2]) && i.operands[2].index == r;
            if (first == second) return false;
            checks_.push_back({load_, at, i.operands[3].index, second != i.operands[3].negated});
            return true;
        }
        return false;
    }

    // Whether the value is used behind only one side of the branch that ends the block.
    bool counts_on_one_side(int r) {
        const Instruction& branch = f_.body[end_];
        if (branch.guard < 0 || branch.operands.empty() || branch.operands[0].kind != Operand::Kind::label)
            return false;
        const bool taken = is_used_from(static_cast<std::uint32_t>(branch.operands[0].index), r);
        const bool not_taken = is_used_from(end_ + 1, r);
        if (taken == not_taken) return false;
        checks_.push_back({load_, end_, branch.guard, branch.guard_negated == taken});
        return true;
    }

    // Whether a use of the register can be reached from there without passing the load again.
    bool is_used_from(std::uint32_t from, int r) const {
        const auto& uses = uses_[static_cast<std::size_t>(r)];
        return any_from(from, load_, [&](std::uint32_t n) {
            return std::any_of(uses.begin(), uses.end(), [&](const RegisterUse& u) { return u.at == n; });
        });
    }

    // Whether `is` holds for an instruction that can be reached without passing another one.
    bool any_from(std::uint32_t from, std::uint32_t without, const auto& is) const {
        std::vector<bool> seen(f_.body.size());
        std::vector<std::uint32_t> open = {from};
        while (!open.empty()) {
            std::uint32_t n = open.back();
            open.pop_back();
            for (; n < f_.body.size() && !seen[n]; ++n) {
                seen[n] = true;
                if (is(n)) return true;
                if (n == without) break;
                const Instruction& i = f_.body[n];
                if (!is_branch(i)) continue;
                for (const Operand& op : i.operands) {
                    if (op.kind == Operand::Kind::label) open.push_back(static_cast<std::uint32_t>(op.index));
                    for (int t : op.targets) open.push_back(static_cast<std::uint32_t>(t));
                }
                if (i.guard < 0) break;
            }
        }
        return false;
    }

    const ptx::Function& f_;
    std::vector<int> definitions_;
    std::vector<std::vector<RegisterUse>> uses_;
    std::vector<bool> leads_;
    std::uint32_t load_ = 0, end_ = 0;
    std::vector<LateCheck> checks_;
};

}  // namespace

std::vector<LateCheck> late_checks(const ptx::Function& f) {
    if (std::none_of(f.body.begin(), f.body.end(), is_plain_load)) return {};
    return Finder(f).find();
}

}  // namespace vgpu
