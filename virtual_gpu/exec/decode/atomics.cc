#include "virtual_gpu/exec/decode/atomics.h"

#include <algorithm>

namespace vgpu {
namespace {

bool names(const ptx::Operand& o, int reg) {
    if ((o.kind == ptx::Operand::Kind::reg || o.kind == ptx::Operand::Kind::address) && o.index == reg) return true;
    return std::any_of(o.elements.begin(), o.elements.end(), [&](const ptx::Operand& e) { return names(e, reg); });
}

bool only_counts(const ptx::Function& f, const ptx::Instruction& atomic) {
    if (!atomic.has("add") || (!atomic.has("u32") && !atomic.has("s32")) || atomic.operands.empty()) return false;
    const ptx::Operand& added = atomic.operands.back();
    return added.kind == ptx::Operand::Kind::imm && !added.is_float && added.bits == 1 && !is_result_used(f, atomic);
}

}  // namespace

bool is_result_used(const ptx::Function& f, const ptx::Instruction& atomic) {
    if (atomic.opcode != Opcode::atom || atomic.operands.empty() || atomic.operands[0].kind != ptx::Operand::Kind::reg)
        return false;
    const int reg = atomic.operands[0].index;
    for (const ptx::Instruction& i : f.body)
        for (std::size_t n = 0; n < i.operands.size(); ++n)
            if ((&i != &atomic || n > 0) && names(i.operands[n], reg)) return true;
    return false;
}

int shared_passes(const ptx::Function& f, const ptx::Instruction& atomic) {
    if (only_counts(f, atomic)) return 0;
    const auto is = [&](const char* type) { return atomic.has(type); };
    const bool is_native = !is("cas") && (is("exch") || is("u32") || is("s32") || is("b32"));
    return is_native ? 1 : 2;
}

bool may_draw_tickets(const ptx::Function& f) {
    return std::any_of(f.body.begin(), f.body.end(), [&](const ptx::Instruction& i) {
        return i.opcode == Opcode::atom && !i.has("shared") && !i.has("shared::cta") && is_result_used(f, i);
    });
}

}  // namespace vgpu
