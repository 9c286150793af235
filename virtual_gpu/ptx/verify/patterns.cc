#include "virtual_gpu/ptx/verify/patterns.h"

#include <algorithm>
#include <unordered_set>

namespace vgpu::ptx {
namespace {

bool is_integer(Type t) { return t >= Type::u8 && t <= Type::s64; }

}  // namespace

bool is_one_of(Type t, std::string_view kinds) {
    const auto kind_of = [&]() -> std::string_view {
        switch (t) {
            case Type::u16:
            case Type::s16:
                return "i";
            case Type::u32:
            case Type::s32:
                return "iIw";
            case Type::u64:
            case Type::s64:
                return "iI";
            case Type::b16:
                return "b";
            case Type::b32:
                return "bBx";
            case Type::b64:
                return "bB";
            case Type::pred:
                return "p";
            case Type::f16:
            case Type::f16x2:
            case Type::bf16:
            case Type::bf16x2:
                return "h";
            case Type::f32:
                return "f";
            case Type::f64:
                return "d";
            default:
                return "";
        }
    };
    return kinds.empty() || kind_of().find_first_of(kinds) != std::string_view::npos;
}

bool is_bits(Type t) { return t >= Type::b8 && t <= Type::b128; }
bool is_float(Type t) { return t >= Type::f16; }

bool agree(Type reg, Type type) {
    if (reg == Type::pred || type == Type::pred) return reg == type;
    if (size_of(reg) != size_of(type)) return false;
    if (is_bits(reg) || is_bits(type)) return true;
    return is_float(type) ? reg == type : is_integer(reg) && is_integer(type);
}

bool holds(Type reg, Type type) {
    if (reg == Type::pred || type == Type::pred || size_of(reg) < std::max(size_of(type), 2)) return false;
    if (agree(reg, type)) return true;
    if (size_of(reg) == size_of(type)) return false;
    if (is_bits(reg)) return true;
    return is_float(reg) ? is_bits(type) : !is_float(type);
}

bool has_other_type(const Instruction& i) {
    static const std::unordered_set<std::string_view> kOthers = {
        "u16x2",  "s16x2",   "f32x2",  "tf32",   "b1",     "u8x4",   "s8x4",   "e4m3",
        "e5m2",   "e4m3x4",  "e5m2x4", "e2m3x2", "e3m2x2", "e2m1x2", "e2m3x4", "e3m2x4",
        "e2m1x4", "ue8m0x2", "s2f6x2", "u2",     "s2",     "u4",     "s4"};
    return std::any_of(i.modifiers.begin(), i.modifiers.end(), [](const auto& m) { return kOthers.contains(m); });
}

std::size_t types_wanted(const Instruction& i, std::size_t any) {
    const int wanted = row_of(i.opcode).types;
    if (i.opcode == Opcode::bar || i.opcode == Opcode::barrier) return i.has("red") ? 1 : 0;
    return wanted == kSome || i.has("pack") || i.has("async") ? any : static_cast<std::size_t>(wanted);
}

std::string_view broken_rule(const Instruction& i, const std::vector<Type>& types) {
    const auto any = [&](std::initializer_list<std::string_view> names) {
        return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return i.has(name); });
    };
    const Type type = types.empty() ? Type::none : types.front();
    const Opcode opcode = i.opcode;
    if (opcode == Opcode::fence && !types.empty()) return "types: none is needed, as that";
    if (opcode == Opcode::fence && !i.has("proxy") && any({"global", "shared", "local", "const", "param"}))
        return "spaces: it orders all, not that";
    if (opcode == Opcode::vote && type != (i.has("ballot") ? Type::b32 : Type::pred))
        return "types: another is voted on in that";
    if (opcode == Opcode::ldmatrix || opcode == Opcode::stmatrix || opcode == Opcode::movmatrix) {
        if (type != Type::b16 && type != Type::b8) return "types: another is in a matrix than that";
        if (any({"global", "const", "local", "param"})) return "spaces: not shared memory, but that";
    }
    if (opcode == Opcode::shfl && type != Type::b32) return "types: b32 is exchanged, not that";
    if (opcode == Opcode::cvta && type != Type::u64 && type != Type::u32) return "types: no address is one, as that";
    if ((opcode == Opcode::dp4a || opcode == Opcode::dp2a) && types.size() == 2 && !is_one_of(types[1], "w"))
        return "types: 32 bits are needed, not that";
    if (opcode == Opcode::prefetch && !i.has("tensormap") && any({"shared", "const", "param"}))
        return "spaces: no cache is for that";
    if (opcode == Opcode::cp && i.has("async") && !any({"bulk", "mbarrier"}) && any({"const", "local", "param"}))
        return "spaces: from global to shared memory, not that";
    if (opcode == Opcode::setp && is_bits(type) && !any({"eq", "ne"})) return "types: no order among bits";
    const Type compared = opcode == Opcode::set && types.size() == 2 ? types[1] : type;
    if ((opcode == Opcode::setp || opcode == Opcode::set) && is_float(compared) && any({"lo", "ls", "hi", "hs"}))
        return "types: for unsigned integers, that";
    return "";
}

}  // namespace vgpu::ptx
