// What the checks of operands have in common: operands.cc and further.cc.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/ptx/verify/patterns.h"
#include "virtual_gpu/ptx/verify/verify.h"

namespace vgpu::ptx {

class OperandChecker {
  public:
    OperandChecker(const Function& f, const Instruction& i) : f_(f), i_(i) {
        for (const std::string& m : i.modifiers)
            if (const Type t = type_named(m); t != Type::none) types_.push_back(t);
    }
    const Function& function() const { return f_; }
    const Instruction& instruction() const { return i_; }

  protected:
    [[noreturn]] void fail(const std::string& what) const {
        throw Refused(what + " of '" + name_of(i_) + "'", i_.ptx_line);
    }
    [[noreturn]] void fail_operand(std::size_t n) const { fail("operands: number " + std::to_string(n + 1)); }

    Type type(std::size_t n) const { return n < types_.size() ? types_[n] : Type::none; }
    Type register_type(const Operand& op) const { return f_.registers.at(static_cast<std::size_t>(op.index)).type; }

    void result(const Operand& op, std::size_t n, Type t) const {
        if (op.kind == Operand::Kind::sink) {
            if (!i_.is(kMayDrop)) fail_operand(n);
            return;
        }
        if (op.kind != Operand::Kind::reg || op.negated) fail_operand(n);
        if (!agree(register_type(op), t)) fail_operand(n);
    }

    void source(const Operand& op, std::size_t n, Type t) const {
        if (op.kind == Operand::Kind::reg) {
            if (!agree(register_type(op), t)) fail_operand(n);
            return;
        }
        if (op.kind == Operand::Kind::special && op.name == "WARP_SZ") return;
        if (op.kind != Operand::Kind::imm) fail_operand(n);
        if (is_float(t) ? !op.is_float : op.is_float && !is_bits(t)) fail_operand(n);
    }

    bool in_any(std::initializer_list<std::string_view> spaces) const {
        return std::any_of(spaces.begin(), spaces.end(), [&](std::string_view s) { return i_.has(s); });
    }

    void count(std::size_t least, std::size_t most) const {
        if (i_.operands.size() < least) fail("operands: too few");
        if (i_.operands.size() > most) fail("operands: too many");
    }

    const Function& f_;
    const Instruction& i_;
    std::vector<Type> types_;
};

// In further.cc: instructions whose operands follow rules of their own. False: it is another.
bool verify_further(const OperandChecker&);
// In tensor.cc: the same of wmma and mma.sync.
bool verify_tensor(const OperandChecker&);

}  // namespace vgpu::ptx
