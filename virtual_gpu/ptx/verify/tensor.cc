// Operands of wmma and mma.sync: as many registers as the form's fragments have.
#include "virtual_gpu/ptx/tensor_form.h"
#include "virtual_gpu/ptx/verify/checker.h"

namespace vgpu::ptx {
namespace {

class TensorChecker : public OperandChecker {
  public:
    explicit TensorChecker(const OperandChecker& all) : OperandChecker(all.function(), all.instruction()) {}

    void check() const {
        const auto form = tensor_form(i_);
        if (!form) {
            if (is_missing_tensor_form(i_)) return;  // not implemented: it is never executed
            fail("types: no such shape, types and layout as those");
        }
        if (form->work == TensorWork::multiply) {
            count(4, 4);
            for (std::size_t n = 0; n < 4; ++n) fragment(n, fragment_of(*form, "dabc"[n]), n == 0);
            return;
        }
        count(2, 3);
        const bool is_load = form->work == TensorWork::load;
        const std::size_t address = is_load ? 1 : 0;
        if (i_.operands[address].kind != Operand::Kind::address || !i_.operands[address].elements.empty())
            fail_operand(address);
        fragment(1 - address, fragment_of(*form, form->part), is_load);
        if (i_.operands.size() > 2) source(i_.operands[2], 2, Type::u32);
    }

  private:
    void fragment(std::size_t n, const MatrixFragment& f, bool is_result) const {
        const Operand& vector = i_.operands[n];
        if (vector.kind != Operand::Kind::vector || vector.elements.size() != static_cast<std::size_t>(f.registers))
            fail("sizes: no such vector as that");
        for (const Operand& one : vector.elements) {
            if (one.kind == (is_result ? Operand::Kind::sink : Operand::Kind::imm)) continue;
            if (one.kind != Operand::Kind::reg || one.negated) fail_operand(n);
            if (const Type t = register_type(one); t == Type::pred || size_of(t) != size_of(f.register_type))
                fail_operand(n);
        }
    }
};

}  // namespace

bool verify_tensor(const OperandChecker& all) {
    const Opcode opcode = all.instruction().opcode;
    if (opcode != Opcode::wmma && opcode != Opcode::mma) return false;
    TensorChecker(all).check();
    return true;
}

}  // namespace vgpu::ptx
