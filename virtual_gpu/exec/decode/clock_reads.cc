#include "virtual_gpu/exec/decode/clock_reads.h"

#include <algorithm>
#include <vector>

namespace vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;

// Registers that hold what was made of a clock. Code for debuggers keeps its variables on the stack, which counts as
// one register.
class FromClock {
  public:
    explicit FromClock(const ptx::Function& f) : function_(f), is_(f.registers.size()) {}

    bool is(const Operand& o) const {
        if (o.kind == Operand::Kind::special) return o.name.starts_with("%clock") || o.name.starts_with("%globaltimer");
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
        if (i.opcode == "ld") return stack_ && is_on_stack(i, i.operands[1]) && add(i.operands[0]);
        if (std::none_of(i.operands.begin() + 1, i.operands.end(), [&](const Operand& o) { return is(o); }))
            return false;
        if (i.opcode != "st") return add(i.operands[0]);
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
    std::vector<bool> is_;
    bool stack_ = false;
};

}  // namespace

bool waits_for_clock(const ptx::Function& f) {
    FromClock clock(f);
    for (bool again = true; again;) {
        again = false;
        for (const Instruction& i : f.body) again |= clock.follow(i);
    }
    return std::ranges::any_of(f.body, [&](const Instruction& i) {
        if (i.opcode == "bra" || i.opcode == "exit" || i.opcode == "ret" || i.opcode == "brx") {
            if (clock.is(i.guard)) return true;
            return i.opcode == "brx" && !i.operands.empty() && clock.is(i.operands[0]);
        }
        return i.opcode == "st" && i.has("param") && i.operands.size() > 1 && clock.is(i.operands[1]);
    });
}

}  // namespace vgpu
