// Operands of instructions with rules of their own: matrices, cache policies, 8-bit floats.
#include "virtual_gpu/ptx/verify/checker.h"

namespace vgpu::ptx {
namespace {

class FurtherChecker : public OperandChecker {
  public:
    explicit FurtherChecker(const OperandChecker& all) : OperandChecker(all.function(), all.instruction()) {}

    bool check() const {
        switch (i_.opcode) {
            case Opcode::ldmatrix:
            case Opcode::stmatrix:
                return matrix(), true;
            case Opcode::movmatrix:
                return count(2, 2), result(i_.operands[0], 0, Type::b32), row(1), true;
            case Opcode::createpolicy:
                return createpolicy(), true;
            case Opcode::tex:
            case Opcode::tld4:
                return texture(), true;
            case Opcode::suld:
            case Opcode::sust:
                return surface(), true;
            case Opcode::txq:
            case Opcode::suq:
                return query(), true;
            case Opcode::cvt:
                return in_any({"e4m3x2", "e5m2x2"}) && !i_.has("pack") && (cvt_small(), true);
            default:
                return false;
        }
    }

  private:
    // Two 8-bit floats in 16 bits; the result's type comes first.
    void cvt_small() const {
        const auto is_small = [](const std::string& m) { return m == "e4m3x2" || m == "e5m2x2"; };
        const bool widens = is_small(i_.modifiers.back());
        if (type(0) != Type::f16x2 && (widens || type(0) != Type::f32)) fail("types: not that");
        if (!i_.has("rn") || i_.has("satfinite") == widens) fail("modifiers: rounding or saturation");
        const std::size_t sources = type(0) == Type::f32 ? 2 : 1;
        count(1 + sources, 1 + sources);
        result(i_.operands[0], 0, widens ? Type::f16x2 : Type::b16);
        for (std::size_t n = 1; n <= sources; ++n) source(i_.operands[n], n, widens ? Type::b16 : type(0));
    }

    // A vector of one, two or four registers, and the address of this lane's row.
    void matrix() const {
        if (!i_.has("m8n8")) return;  // of other shapes: not implemented
        count(2, 2);
        const bool is_load = i_.opcode == Opcode::ldmatrix;
        const std::size_t address = is_load ? 1 : 0, registers = 1 - address;
        if (i_.operands[address].kind != Operand::Kind::address) fail_operand(address);
        const Operand& vector = i_.operands[registers];
        const std::size_t parts = i_.has("x4") ? 4 : i_.has("x2") ? 2 : 1;
        if (vector.kind != Operand::Kind::vector || vector.elements.size() != parts)
            fail("sizes: no such vector as that");
        for (const Operand& one : vector.elements) {
            if (one.kind == Operand::Kind::sink && is_load) continue;
            if (one.kind != Operand::Kind::reg || one.negated) fail_operand(registers);
            if (const Type t = register_type(one); t == Type::pred || size_of(t) != 4) fail_operand(registers);
        }
    }

    void row(std::size_t n) const {
        if (i_.operands[n].kind != Operand::Kind::reg) fail_operand(n);
        source(i_.operands[n], n, Type::b32);
    }

    void createpolicy() const {
        if (type(0) != Type::b64) fail("types: not b64, as");
        const bool is_range = i_.has("range");
        count(is_range ? 4 : i_.has("cvt") ? 2 : 1, is_range ? 4 : 2);
        result(i_.operands[0], 0, Type::b64);
        if (i_.has("cvt")) return source(i_.operands[1], 1, Type::b64);
        if (!is_range) {
            if (i_.operands.size() > 1) source(i_.operands[1], 1, Type::f32);
            return;
        }
        if (i_.operands[1].kind != Operand::Kind::address) fail_operand(1);
        for (std::size_t n = 2; n < 4; ++n) source(i_.operands[n], n, Type::u32);
    }

    // ---- Textures and surfaces: [handle, {coordinates}] ----

    void object(std::size_t n, bool has_coordinates) const {
        const Operand& op = i_.operands[n];
        if (op.kind != Operand::Kind::address) fail_operand(n);
        if (op.index < 0) return;  // without an object: not implemented
        if (size_of(register_type(op)) != 8 || op.offset != 0) fail_operand(n);
        if (op.elements.size() != (has_coordinates ? 1 : 0)) {
            if (op.elements.size() < 2) fail_operand(n);
            return;  // with a sampler: not implemented
        }
        if (!has_coordinates) return;
        const std::size_t wanted = i_.has("1d") ? 1 : in_any({"2d", "a1d", "2dms"}) ? 2 : 4;
        const Operand& at = op.elements[0];
        if (at.kind != Operand::Kind::vector) {
            if (wanted != 1) fail("sizes: no such vector as that");
            return coordinate(at, n);
        }
        if (at.elements.size() != wanted) fail("sizes: no such vector as that");
        for (const Operand& one : at.elements) coordinate(one, n);
    }
    void coordinate(const Operand& one, std::size_t n) const {
        if (one.kind == Operand::Kind::imm) return;
        if (one.kind != Operand::Kind::reg || one.negated) fail_operand(n);
        if (const Type t = register_type(one); t == Type::pred || size_of(t) != 4) fail_operand(n);
    }

    void texture() const {
        if (types_.size() != 2) fail("types: the number");
        count(2, 6);
        const Operand& to = i_.operands[0];
        if (!i_.has("v4") || to.kind != Operand::Kind::vector || to.elements.size() != 4)
            fail("sizes: no such vector as that");
        if (type(1) != Type::f32 && type(1) != Type::s32) fail("types: no coordinate is one, as that");
        for (const Operand& one : to.elements) {
            if (one.kind == Operand::Kind::sink) continue;
            if (one.kind != Operand::Kind::reg || one.negated) fail_operand(0);
            if (const Type t = register_type(one); t == Type::pred || size_of(t) != size_of(type(0))) fail_operand(0);
        }
        object(1, true);
    }

    void surface() const {
        if (types_.size() != 1 || !is_bits(type(0))) fail("types: bits are needed, not those");
        count(2, 2);
        const bool is_load = i_.opcode == Opcode::suld;
        if (!in_any({"trap", "clamp", "zero"})) fail("modifiers: what happens outside, of that");
        const Operand& values = i_.operands[is_load ? 0 : 1];
        const std::size_t parts = i_.has("v4") ? 4 : i_.has("v2") ? 2 : 1;
        if (static_cast<std::size_t>(size_of(type(0))) * parts > 16) fail("sizes: too large a vector");
        const auto part = [&](const Operand& one) {
            if (one.kind == Operand::Kind::sink ? is_load : one.kind == Operand::Kind::imm && !is_load) return;
            if (one.kind != Operand::Kind::reg || one.negated) fail_operand(is_load ? 0 : 1);
            const Type t = register_type(one);
            if (t == Type::pred || size_of(t) < std::max(2, size_of(type(0)))) fail_operand(is_load ? 0 : 1);
        };
        if (values.kind != Operand::Kind::vector) {
            if (parts != 1) fail("sizes: no such vector as that");
            part(values);
        } else {
            if (values.elements.size() != parts) fail("sizes: no such vector as that");
            for (const Operand& one : values.elements) part(one);
        }
        object(is_load ? 1 : 0, true);
    }

    void query() const {
        count(2, 2);
        if (i_.operands[0].kind != Operand::Kind::reg) fail_operand(0);
        if (const Type t = register_type(i_.operands[0]); t == Type::pred || size_of(t) != 4) fail_operand(0);
        object(1, false);
    }
};

}  // namespace

bool verify_further(const OperandChecker& all) { return verify_tensor(all) || FurtherChecker(all).check(); }

}  // namespace vgpu::ptx
