#include "virtual_gpu/exec/decode/plain_reads.h"

#include <algorithm>
#include <string_view>

namespace vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;

bool is_weak_load(const Instruction& i) {
    if (i.opcode != Opcode::ld || i.operands.size() != 2 || i.operands[0].kind != Operand::Kind::reg) return false;
    return !is_strong(i) && !i.has("param");
}

}  // namespace

std::vector<bool> reads_for_compare_and_swap(const ptx::Function& function) {
    std::vector<bool> compared(function.registers.size()), reads(function.body.size());
    const auto add = [&](const Operand& operand) {
        if (operand.kind != Operand::Kind::reg || compared[static_cast<std::size_t>(operand.index)]) return false;
        compared[static_cast<std::size_t>(operand.index)] = true;
        return true;
    };
    for (const Instruction& i : function.body)
        if (i.opcode == Opcode::atom && i.has("cas") && i.operands.size() > 2) add(i.operands[2]);
    for (bool again = true; again;) {
        again = false;
        for (const Instruction& i : function.body) {
            const bool copies = (i.opcode == Opcode::mov || i.opcode == Opcode::cvt) && i.operands.size() == 2;
            if (!copies || i.operands[0].kind != Operand::Kind::reg) continue;
            if (compared[static_cast<std::size_t>(i.operands[0].index)]) again |= add(i.operands[1]);
        }
    }
    for (std::size_t n = 0; n < function.body.size(); ++n) {
        const Instruction& i = function.body[n];
        reads[n] = is_weak_load(i) && compared[static_cast<std::size_t>(i.operands[0].index)];
    }
    return reads;
}

}  // namespace vgpu
