#include "virtual_gpu/exec/decode/volatile_data.h"

#include <algorithm>
#include <ranges>

namespace vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;

// What a test of a flag, a ticket or a packed word is made of; sums of two numbers are data.
bool belongs_to_test(const Instruction& i) {
    if (i.is(ptx::kTest)) return true;
    return i.opcode == Opcode::add && !i.operands.empty() && i.operands.back().kind == Operand::Kind::imm;
}

bool is_volatile_load(const Instruction& i) {
    return i.opcode == Opcode::ld && i.has("volatile") && !i.has("global") && i.operands.size() == 2;
}

class Deciding {  // registers whose value decides something
  public:
    explicit Deciding(const ptx::Function& f) : is_(f.registers.size()) {
        for (const Instruction& i : f.body) {
            if (i.guard >= 0) is_[static_cast<std::size_t>(i.guard)] = true;
            if (i.is(ptx::kDecides) || (i.opcode == Opcode::st && i.has("param")))
                for (const Operand& operand : i.operands) add(operand);
        }
        for (bool again = true; again;) {
            again = false;
            for (const Instruction& i : std::ranges::reverse_view(f.body))
                if (belongs_to_test(i) && !i.operands.empty() && includes(i.operands[0]))
                    for (std::size_t n = 1; n < i.operands.size(); ++n) again |= add(i.operands[n]);
        }
    }
    bool includes(const Operand& operand) const {
        if (operand.kind == Operand::Kind::reg) return is_[static_cast<std::size_t>(operand.index)];
        return std::ranges::any_of(operand.elements, [&](const Operand& one) { return includes(one); });
    }

  private:
    bool add(const Operand& operand) {
        bool is_new = false;
        if (operand.kind == Operand::Kind::reg && !is_[static_cast<std::size_t>(operand.index)])
            is_new = is_[static_cast<std::size_t>(operand.index)] = true;
        for (const Operand& one : operand.elements) is_new |= add(one);
        return is_new;
    }

    std::vector<bool> is_;
};

}  // namespace

std::vector<bool> volatile_data(const ptx::Function& function) {
    std::vector<bool> data(function.body.size());
    if (std::ranges::none_of(function.body, is_volatile_load)) return data;
    const Deciding deciding(function);
    for (std::size_t n = 0; n < function.body.size(); ++n) {
        const Instruction& i = function.body[n];
        data[n] = is_volatile_load(i) && !deciding.includes(i.operands[0]);
    }
    return data;
}

}  // namespace vgpu
