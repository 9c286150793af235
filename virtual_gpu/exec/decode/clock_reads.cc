#include "virtual_gpu/exec/decode/clock_reads.h"

#include <algorithm>
#include <vector>

namespace vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;

// Registers that hold what was made of some others, or of a clock. Code for debuggers keeps its variables on the stack,
// which counts as one register.
class MadeOf {
  public:
    MadeOf(const ptx::Function& f, bool of_clock) : function_(f), of_clock_(of_clock), is_(f.registers.size()) {}

    bool is(const Operand& o) const {
        if (o.kind == Operand::Kind::special)
            return of_clock_ && (o.name.starts_with("%clock") || o.name.starts_with("%globaltimer"));
        if (o.kind == Operand::Kind::reg) return is(o.index);
        return std::ranges::any_of(o.elements, [&](const Operand& one) { return is(one); });
    }
    bool is(int r) const { return r >= 0 && is_[static_cast<std::size_t>(r)]; }
    // True if that is new.
    bool add(const Operand& o) {
        bool is_new = false;
        if (o.kind == Operand::Kind::reg && o.index >= 0 && !is(o.index))
            is_new = is_[static_cast<std::size_t>(o.index)] = true;
        for (const Operand& one : o.elements) is_new |= add(one);
        return is_new;
    }
    bool follow(const Instruction& i) {
        if (i.operands.size() < 2 || i.call) return false;
        if (i.opcode == Opcode::ld) return stack_ && is_on_stack(i, i.operands[1]) && add(i.operands[0]);
        if (std::none_of(i.operands.begin() + 1, i.operands.end(), [&](const Operand& o) { return is(o); }))
            return false;
        if (i.opcode != Opcode::st) return add(i.operands[0]);
        const bool is_new = is_on_stack(i, i.operands[0]) && !stack_;
        stack_ |= is_new;
        return is_new;
    }

  private:
    bool is_on_stack(const Instruction& i, const Operand& address) const {
        if (i.has("local")) return true;
        return address.index >= 0 &&
               function_.registers[static_cast<std::size_t>(address.index)].name.starts_with("%SP");
    }
    const ptx::Function& function_;
    const bool of_clock_;
    std::vector<bool> is_;
    bool stack_ = false;
};

bool decide_a_branch(const ptx::Function& f, MadeOf& registers) {
    for (bool again = true; again;) {
        again = false;
        for (const Instruction& i : f.body) again |= registers.follow(i);
    }
    return std::ranges::any_of(f.body, [&](const Instruction& i) {
        if (i.opcode == Opcode::bra || i.opcode == Opcode::exit || i.opcode == Opcode::ret || i.opcode == Opcode::brx) {
            if (registers.is(i.guard)) return true;
            return i.opcode == Opcode::brx && !i.operands.empty() && registers.is(i.operands[0]);
        }
        return i.opcode == Opcode::st && i.has("param") && i.operands.size() > 1 && registers.is(i.operands[1]);
    });
}

bool is_register(const Operand& o, int r) { return o.kind == Operand::Kind::reg && o.index == r; }

}  // namespace

bool waits_for_clock(const ptx::Function& f) {
    MadeOf clock(f, true);
    return decide_a_branch(f, clock);
}

bool counts_to_a_limit(const ptx::Function& f) {
    MadeOf counters(f, false);
    std::vector<int> moved_to(f.registers.size(), -1);  // where the next round has it
    for (const Instruction& i : f.body)
        if (i.opcode == Opcode::mov && i.operands.size() == 2 && i.operands[0].kind == Operand::Kind::reg &&
            i.operands[1].kind == Operand::Kind::reg)
            moved_to[static_cast<std::size_t>(i.operands[1].index)] = i.operands[0].index;
    for (const Instruction& i : f.body) {
        if ((i.opcode != Opcode::add && i.opcode != Opcode::sub) || i.operands.size() != 3 ||
            i.operands[0].kind != Operand::Kind::reg)
            continue;
        const int to = i.operands[0].index, next = moved_to[static_cast<std::size_t>(to)];
        for (std::size_t n = 1; n < 3; ++n)
            if (is_register(i.operands[n], to) || (next >= 0 && is_register(i.operands[n], next)))
                counters.add(i.operands[0]);
    }
    return decide_a_branch(f, counters);
}

}  // namespace vgpu
