// The operands of an instruction against its type: how many, registers or not, of which type and size.
#include <algorithm>
#include <array>
#include <map>

#include "virtual_gpu/ptx/verify/checker.h"

namespace vgpu::ptx {
namespace {

Type doubled(Type t) {
    switch (t) {
        case Type::u16:
            return Type::u32;
        case Type::s16:
            return Type::s32;
        case Type::u32:
            return Type::u64;
        case Type::s32:
            return Type::s64;
        default:
            return Type::none;
    }
}

class Checker : public OperandChecker {
  public:
    using OperandChecker::OperandChecker;

    void check() {
        for (const Operand& op : i_.operands) address(op);
        if (const std::string_view rule = broken_rule(i_, types_); !rule.empty()) fail(std::string(rule));
        using Check = void (Checker::*)();
        static const std::map<Opcode, Check> kOwn = {
            {Opcode::mov, &Checker::mov},     {Opcode::cvt, &Checker::cvt},
            {Opcode::ld, &Checker::ld},       {Opcode::ldu, &Checker::ld},
            {Opcode::st, &Checker::st},       {Opcode::shfl, &Checker::shfl},
            {Opcode::vote, &Checker::vote},   {Opcode::match, &Checker::match},
            {Opcode::bar, &Checker::bar},     {Opcode::barrier, &Checker::bar},
            {Opcode::lop3, &Checker::lop3},   {Opcode::cvta, &Checker::cvta},
            {Opcode::cp, &Checker::cp},       {Opcode::mbarrier, &Checker::mbarrier},
            {Opcode::elect, &Checker::elect},
        };
        if (verify_further(*this)) return spaces();
        const auto own = kOwn.find(i_.opcode);
        const OpcodeRow& row = row_of(i_.opcode);
        const bool has_pattern = !row.operands.empty();
        if (own != kOwn.end() || has_pattern) {
            if (has_other_type(i_)) return;  // one without registers of its own: not implemented
            if (types_.size() != types_wanted(i_, types_.size())) fail("types: the number");
            spaces();
        }
        if (own != kOwn.end()) return (this->*own->second)();
        if (!has_pattern) return;  // not implemented: it is never executed
        if (i_.opcode == Opcode::atom || i_.opcode == Opcode::red) atomic();
        if (!types_.empty() && !is_one_of(types_.front(), row.kinds)) fail("types: not that");
        if ((i_.opcode == Opcode::setp || i_.opcode == Opcode::set) &&
            in_any({"and", "or", "xor"}) != (i_.operands.size() == 4))
            fail("operands: the number");
        pattern(row.operands == "0" ? "" : row.operands);
    }

  private:
    // Only accesses to memory and the like name a space.
    void spaces() const {
        const auto is_space = [](const std::string& m) {
            return m == "global" || m == "const" || m == "local" || m.starts_with("shared") || m.starts_with("param");
        };
        const auto count = std::count_if(i_.modifiers.begin(), i_.modifiers.end(), is_space);
        if (count != 0 && !i_.is(kSpace)) fail("spaces: none is accessed by that");
        if (count > 1 && i_.opcode != Opcode::cp) fail("spaces: one too many");
        if (count == 0 && (i_.opcode == Opcode::cvta || i_.opcode == Opcode::isspacep))
            fail("spaces: one is needed, as that");
    }

    // ---- By pattern ----

    void pattern(std::string_view p) {
        std::size_t n = 0;
        for (std::size_t k = 0; k < p.size(); ++k) {
            const bool optional = k + 1 < p.size() && p[k + 1] == '?';
            if (n == i_.operands.size()) {
                if (optional) return;
                fail("operands: too few");
            }
            operand(p[k], n++);
            if (optional) ++k;
        }
        if (n < i_.operands.size()) fail("operands: too many");
    }

    void operand(char letter, std::size_t n) {
        const Operand& op = i_.operands[n];
        const bool wide = i_.has("wide");
        switch (letter) {
            case 'D':
                return result(op, n, type(0));
            case 'W':
                return result(op, n, wide ? doubled(type(0)) : type(0));
            case 'V':
                return result(op, n, Type::u32);
            case 'P':
                return result(op, n, Type::pred);
            case 'O':
                return results(op, n);
            case 'T':
                return source(op, n, type(0));
            case 'X':
                return source(op, n, wide ? doubled(type(0)) : type(0));
            case 'S':
                return source(op, n, type(1));
            case 'U':
                return source(op, n, Type::u32);
            case 'Y':
                return source(op, n, Type::u64);
            case 'N':
                return source(op, n, Type::pred);
            case 'I':
                if (op.kind != Operand::Kind::imm || op.is_float) fail_operand(n);
                return;
            case 'A':
                if (op.kind != Operand::Kind::address) fail_operand(n);
                return;
            default:
                return;
        }
    }

    // A predicate, or two as a|b.
    void results(const Operand& op, std::size_t n) const {
        if (op.kind != Operand::Kind::vector) return result(op, n, Type::pred);
        if (op.elements.size() != 2) fail_operand(n);
        for (const Operand& one : op.elements) result(one, n, Type::pred);
    }

    // ---- Memory ----

    void address(const Operand& op) const {
        if (op.kind == Operand::Kind::address && op.index >= 0) {
            const Type t = register_type(op);
            if (t == Type::pred || is_float(t)) fail("operands: no address, register " + name_of(op) + ",");
            if (size_of(t) == 4 && !is_narrow_space())
                fail("operands: no 64-bit address, register " + name_of(op) + ",");
        }
        for (const Operand& e : op.elements) address(e);
    }
    std::string name_of(const Operand& op) const { return f_.registers.at(static_cast<std::size_t>(op.index)).name; }
    // Of these spaces, addresses of 32 bits exist.
    bool is_narrow_space() const {
        if (!i_.is(kAccess) && i_.opcode != Opcode::prefetch) return true;
        return std::any_of(i_.modifiers.begin(), i_.modifiers.end(), [](const std::string& m) {
            return m.starts_with("shared") || m == "local" || m == "const" || m.starts_with("param");
        });
    }

    void memory_value(const Operand& value, std::size_t n, bool is_load) const {
        if (types_.size() != 1) fail("types: one is needed");
        const std::size_t parts = i_.has("v8") ? 8 : i_.has("v4") ? 4 : i_.has("v2") ? 2 : 1;
        const Type t = type(0);
        if (t == Type::pred) fail("types: no predicate is in memory, as");
        if (t >= Type::f16 && t <= Type::bf16x2) fail("types: bits are needed, not those");
        const std::size_t most = parts == 8 || (parts == 4 && size_of(t) == 8) ? 32 : 16;
        if (static_cast<std::size_t>(size_of(t)) * parts > most) fail("sizes: too large a vector");
        if (parts == 1) return value_part(value, n, is_load);
        if (value.kind != Operand::Kind::vector || value.elements.size() != parts)
            fail("sizes: no such vector as that");
        int size = 0;
        const bool has_bits = std::any_of(value.elements.begin(), value.elements.end(), [&](const Operand& one) {
            return one.kind == Operand::Kind::reg && is_bits(register_type(one));
        });
        for (const Operand& one : value.elements) {
            const bool is_large = one.kind == Operand::Kind::reg && !one.negated && register_type(one) != Type::pred &&
                                  size_of(register_type(one)) >= std::max(2, size_of(t));
            if (!(has_bits && is_large)) value_part(one, n, is_load);
            if (one.kind != Operand::Kind::reg) continue;
            const int bytes = size_of(register_type(one));
            if (size != 0 && bytes != size) fail_operand(n);
            size = bytes;
        }
    }

    void value_part(const Operand& one, std::size_t n, bool is_load) const {
        if (one.kind == Operand::Kind::sink && is_load) return;
        if (one.kind == Operand::Kind::imm && !is_load) {
            if (is_float(type(0)) ? !one.is_float : one.is_float && !is_bits(type(0))) fail_operand(n);
            return;
        }
        if (one.kind != Operand::Kind::reg || one.negated || !holds(register_type(one), type(0))) fail_operand(n);
    }

    void ld() {
        count(2, 3);
        if (i_.operands[1].kind != Operand::Kind::address) fail_operand(1);
        if (i_.opcode == Opcode::ldu && in_any({"shared", "shared::cta", "local", "const", "param"}))
            fail("spaces: not global memory, but that");
        if (i_.has("nc") && !i_.has("global")) fail("spaces: not global memory, but that");
        if (in_any({"volatile", "relaxed", "acquire", "mmio"}) && in_any({"const", "param"}))
            fail("spaces: no ordered access is");
        if (in_any({"relaxed", "acquire", "mmio"}) && i_.has("local")) fail("spaces: no ordered access is");
        memory_value(i_.operands[0], 0, true);
    }

    void st() {
        count(2, 4);
        if (i_.operands[0].kind != Operand::Kind::address) fail_operand(0);
        if (in_any({"const", "param::entry"})) fail("spaces: nothing is written by");
        if (i_.has("async")) return;
        memory_value(i_.operands[1], 1, false);
    }

    void atomic() const {
        if (in_any({"const", "local", "param"})) fail("spaces: neither global nor shared memory is that");
        const std::size_t first = i_.opcode == Opcode::atom ? 1 : 0;
        const bool is_cas = i_.has("cas");
        if (is_cas && i_.opcode == Opcode::red) fail("operands: no result");
        if (i_.operands.size() != first + (is_cas ? 3 : 2) && !i_.has("L2::cache_hint")) fail("operands: the number");
        const Type t = type(0);
        const bool bitwise = in_any({"and", "or", "xor", "exch", "cas"});
        if (bitwise && !is_bits(t)) fail("types: no bits");
        if (in_any({"inc", "dec"}) && t != Type::u32) fail("types: not u32, as");
        if (in_any({"min", "max", "add"}) && is_bits(t)) fail("types: only bits, as");
        if (i_.has("add") && t == Type::s64) fail("types: not s64, as");
        if (size_of(t) < 4 && !(is_cas && t == Type::b16) && !is_float(t)) fail("types: too small, as");
    }

    // ---- Moves and conversions ----

    void mov() {
        count(2, 2);
        const Operand &to = i_.operands[0], &from = i_.operands[1];
        const Type t = type(0);
        if (t != Type::pred && size_of(t) < 2) fail("types: too small, as");
        if (to.kind == Operand::Kind::vector) {
            unpacked(to, 0, t);
            if (from.kind != Operand::Kind::reg || !agree(register_type(from), t)) fail_operand(1);
            return;
        }
        result(to, 0, t);
        switch (from.kind) {
            case Operand::Kind::vector:
                return unpacked(from, 1, t);
            case Operand::Kind::symbol:
                if (is_float(t) || t == Type::pred || size_of(t) > 8) fail_operand(1);
                return;
            case Operand::Kind::special:
                if (is_float(t) || t == Type::pred) fail_operand(1);
                if (size_of(t) == 8 && from.name != "%clock64" && from.name != "%globaltimer" && !is_long(from.name))
                    fail_operand(1);
                if (size_of(t) < 8 && (from.name == "%clock64" || from.name == "%globaltimer")) fail_operand(1);
                return;
            default:
                if (from.kind != Operand::Kind::imm || t != Type::pred) source(from, 1, t);
        }
    }
    static bool is_long(std::string_view name) {
        return name == "%gridid" || name == "%current_graph_exec" || name.starts_with("%pm") || name == "WARP_SZ";
    }

    // {a, b} of a value twice as large, {a, b, c, d} of one four times as large.
    void unpacked(const Operand& vector, std::size_t n, Type whole) const {
        if (!is_bits(whole)) fail_operand(n);
        const int parts = static_cast<int>(vector.elements.size());
        if (parts != 2 && parts != 4) fail("sizes: no such vector as that");
        for (const Operand& one : vector.elements) {
            if (one.kind == Operand::Kind::sink && n == 0) continue;
            if (one.kind == Operand::Kind::imm && n == 1) continue;
            if (one.kind != Operand::Kind::reg || one.negated) fail_operand(n);
            const Type t = register_type(one);
            if (t == Type::pred || size_of(t) * parts != size_of(whole))
                fail("sizes: part of another size in a vector");
        }
    }

    void cvt() {
        if (i_.has("pack")) return;
        if (is_bits(type(0)) || is_bits(type(1))) fail("types: only bits, as");
        const bool of_two = type(0) == Type::f16x2 || type(0) == Type::bf16x2;
        count(of_two ? 3 : 2, of_two ? 3 : 2);
        const Operand &to = i_.operands[0], &from = i_.operands[1];
        if (to.kind != Operand::Kind::reg || to.negated) fail_operand(0);
        if (!converts(register_type(to), type(0))) fail_operand(0);
        if (from.kind == Operand::Kind::reg && (from.negated || !converts(register_type(from), type(1))))
            fail_operand(1);
        if (from.kind == Operand::Kind::imm && (is_float(type(1)) ? !from.is_float : from.is_float)) fail_operand(1);
        if (from.kind != Operand::Kind::reg && from.kind != Operand::Kind::imm && from.kind != Operand::Kind::special)
            fail_operand(1);
    }
    static bool converts(Type reg, Type type) {
        if (type == Type::pred || reg == Type::pred) return false;
        return is_float(type) ? agree(reg, type) || (is_bits(reg) && size_of(reg) > size_of(type)) : holds(reg, type);
    }

    void cvta() {
        count(2, 2);
        result(i_.operands[0], 0, type(0));
        const Operand& from = i_.operands[1];
        if (from.kind == Operand::Kind::symbol && !i_.has("to")) return;
        if (from.kind == Operand::Kind::imm && !i_.has("to") && !from.is_float) return;
        if (from.kind != Operand::Kind::reg || !agree(register_type(from), type(0))) fail_operand(1);
    }

    void lop3() {
        const bool boolean = in_any({"and", "or"});
        if (!boolean) return pattern("DTTTI");
        count(6, 6);
        const Operand& to = i_.operands[0];
        if (to.kind != Operand::Kind::vector || to.elements.size() != 2) fail_operand(0);
        if (to.elements[0].kind != Operand::Kind::sink) result(to.elements[0], 0, type(0));
        result(to.elements[1], 0, Type::pred);
        for (std::size_t n = 1; n < 4; ++n) source(i_.operands[n], n, type(0));
        operand('I', 4);
        source(i_.operands[5], 5, Type::pred);
    }

    // ---- Warps and blocks ----

    // A value, or a value and a predicate as d|p.
    void value_and_predicate(const Operand& op, Type t) const {
        if (op.kind != Operand::Kind::vector) return result(op, 0, t);
        if (op.elements.size() != 2) fail_operand(0);
        if (op.elements[0].kind != Operand::Kind::sink) result(op.elements[0], 0, t);
        if (op.elements[1].kind != Operand::Kind::sink) result(op.elements[1], 0, Type::pred);
    }

    void shfl() {
        count(i_.has("sync") ? 5 : 4, i_.has("sync") ? 5 : 4);
        value_and_predicate(i_.operands[0], Type::b32);
        source(i_.operands[1], 1, Type::b32);
        for (std::size_t n = 2; n < i_.operands.size(); ++n) source(i_.operands[n], n, Type::u32);
    }

    void vote() {
        count(i_.has("sync") ? 3 : 2, i_.has("sync") ? 3 : 2);
        result(i_.operands[0], 0, i_.has("ballot") ? Type::b32 : Type::pred);
        source(i_.operands[1], 1, Type::pred);
        if (i_.has("sync")) source(i_.operands[2], 2, Type::u32);
    }

    void match() {
        count(3, 3);
        if (i_.has("any") && i_.operands[0].kind == Operand::Kind::vector) fail_operand(0);
        value_and_predicate(i_.operands[0], Type::b32);
        source(i_.operands[1], 1, type(0));
        source(i_.operands[2], 2, Type::u32);
    }

    void elect() {
        count(2, 2);
        value_and_predicate(i_.operands[0], Type::b32);
        source(i_.operands[1], 1, Type::u32);
    }

    void bar() {
        if (i_.has("cluster")) return;
        if (i_.has("warp")) return pattern_of_numbers(0, 1, 1);
        const bool red = i_.has("red");
        const std::size_t first = red ? 1 : 0, last = red ? 1 : 0;
        count(first + 1 + last + (i_.has("arrive") ? 1 : 0), first + 2 + last);
        if (red) {
            result(i_.operands[0], 0, i_.has("popc") ? Type::u32 : Type::pred);
            source(i_.operands.back(), i_.operands.size() - 1, Type::pred);
        }
        for (std::size_t n = first; n < i_.operands.size() - last; ++n) source(i_.operands[n], n, Type::u32);
        const Operand& number = i_.operands[first];
        if (number.kind == Operand::Kind::imm && number.bits > 15) fail("operands: more than 15, the number");
    }
    void pattern_of_numbers(std::size_t first, std::size_t least, std::size_t most) const {
        count(least, most);
        for (std::size_t n = first; n < i_.operands.size(); ++n) source(i_.operands[n], n, Type::u32);
    }

    // ---- Asynchronous copies ----

    void is_address(std::size_t n) const {
        if (n >= i_.operands.size() || i_.operands[n].kind != Operand::Kind::address) fail_operand(n);
    }

    void cp() {
        if (!i_.has("async") || in_any({"tensor", "reduce", "prefetch", "commit_group", "wait_all"})) return;
        if (i_.has("wait_group")) {
            count(1, 1);
            return operand('I', 0);
        }
        if (i_.has("mbarrier")) {
            count(1, 1);
            return is_address(0);
        }
        count(3, 6);
        is_address(0);
        is_address(1);
        if (i_.has("bulk")) return source(i_.operands[2], 2, Type::u32);
        operand('I', 2);
        const std::uint64_t bytes = i_.operands[2].bits;
        if (bytes != 16 && (i_.has("cg") || (bytes != 4 && bytes != 8))) fail("sizes: not 4, 8 or 16 bytes, but those");
        if (i_.operands.size() > 3 && i_.operands[3].kind == Operand::Kind::reg &&
            register_type(i_.operands[3]) == Type::pred)
            return;
        if (i_.operands.size() > 3 && !i_.has("L2::cache_hint")) source(i_.operands[3], 3, Type::u32);
        const bool is_longer = i_.operands.size() > 3 && i_.operands[3].kind == Operand::Kind::imm;
        if (is_longer && i_.operands[3].bits > bytes) fail("sizes: more than is copied, the source");
    }

    void mbarrier() {
        if (types_.size() != 1 || type(0) != Type::b64) fail("types: not b64, as");
        if (in_any({"global", "const", "local", "param"})) fail("spaces: not shared memory, but that");
        if (i_.has("init")) {
            count(2, 2);
            is_address(0);
            return source(i_.operands[1], 1, Type::u32);
        }
        if (i_.has("inval")) {
            count(1, 1);
            return is_address(0);
        }
        if (i_.has("pending_count")) {
            count(2, 2);
            result(i_.operands[0], 0, Type::u32);
            return source(i_.operands[1], 1, Type::b64);
        }
        if (in_any({"test_wait", "try_wait"})) {
            count(3, 4);
            result(i_.operands[0], 0, Type::pred);
            is_address(1);
            source(i_.operands[2], 2, i_.has("parity") ? Type::u32 : Type::b64);
            if (i_.operands.size() > 3) source(i_.operands[3], 3, Type::u32);
            return;
        }
        if (i_.operands.empty()) fail("operands: too few");
        const std::size_t first = i_.operands[0].kind == Operand::Kind::address ? 0 : 1;
        if (first == 1) result(i_.operands[0], 0, Type::b64);
        is_address(first);
        count(first + 1, first + 2);
        if (i_.operands.size() > first + 1) source(i_.operands[first + 1], first + 1, Type::u32);
    }
};

}  // namespace

void verify_operands(const Function& f, const Instruction& i) { Checker(f, i).check(); }

}  // namespace vgpu::ptx
