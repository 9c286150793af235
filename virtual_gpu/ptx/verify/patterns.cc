#include "virtual_gpu/ptx/verify/patterns.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace vgpu::ptx {
namespace {

constexpr std::array kPatterns = std::to_array<Pattern>({
    {"add", "DTT", "ihfd"},   {"sub", "DTT", "ihfd"},    {"addc", "DTT", "I"},     {"subc", "DTT", "I"},
    {"mul", "WTT", "ihfd"},   {"mad", "WTTX", "ifd"},    {"madc", "WTTX", "I"},    {"mul24", "DTT", "w"},
    {"mad24", "DTTT", "w"},   {"sad", "DTTT", "i"},      {"div", "DTT", "ifd"},    {"rem", "DTT", "i"},
    {"abs", "DT", "ihfd"},    {"neg", "DT", "ihfd"},     {"min", "DTT", "ihfd"},   {"max", "DTT", "ihfd"},
    {"fma", "DTTT", "hfd"},   {"copysign", "DTT", "fd"}, {"and", "DTT", "bp"},     {"or", "DTT", "bp"},
    {"xor", "DTT", "bp"},     {"not", "DT", "bp"},       {"cnot", "DT", "b"},      {"rcp", "DT", "fd"},
    {"sqrt", "DT", "fd"},     {"rsqrt", "DT", "fd"},     {"sin", "DT", "f"},       {"cos", "DT", "f"},
    {"lg2", "DT", "f"},       {"ex2", "DT", "fh"},       {"tanh", "DT", "fh"},     {"brev", "DT", "B"},
    {"popc", "VT", "B"},      {"clz", "VT", "B"},        {"bfind", "VT", "I"},     {"bfe", "DTUU", "I"},
    {"bfi", "DTTUU", "B"},    {"shl", "DTU", "b"},       {"shr", "DTU", "bi"},     {"shf", "DTTU", "x"},
    {"prmt", "DTTT", "x"},    {"testp", "PT", "fd"},     {"selp", "DTTN", "bifd"}, {"setp", "OTTN?", "bihfd"},
    {"set", "DSSN?", "bwhf"}, {"slct", "DTTS", "bifd"},  {"dp4a", "VUUU", "w"},    {"dp2a", "VUUU", "w"},
    {"activemask", "V", "x"}, {"nanosleep", "U", "w"},   {"redux", "DTU", "wxf"},  {"isspacep", "PY", ""},
    {"atom", "DATT?", ""},    {"red", "AT", ""},         {"ret", "", ""},          {"exit", "", ""},
    {"trap", "", ""},         {"brkpt", "", ""},         {"bra", ".", ""},         {"brx", "U.", ""},
    {"fns", "VUUU", ""},      {"bmsk", "DUU", ""},       {"szext", "DTU", ""},     {"membar", "", ""},
    {"prefetchu", "A", ""},   {"prefetch", "A", ""},
});

bool is_integer(Type t) { return t >= Type::u8 && t <= Type::s64; }

}  // namespace

const Pattern* pattern_of(std::string_view opcode) {
    static const auto kByOpcode = [] {
        std::unordered_map<std::string_view, const Pattern*> by;
        for (const Pattern& p : kPatterns) by.emplace(p.opcode, &p);
        return by;
    }();
    const auto found = kByOpcode.find(opcode);
    return found == kByOpcode.end() ? nullptr : found->second;
}

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
    static const std::unordered_map<std::string_view, std::size_t> kOf = {
        {"ret", 0},    {"exit", 0},     {"trap", 0},      {"brkpt", 0},    {"bra", 0},   {"brx", 0},
        {"membar", 0}, {"isspacep", 0}, {"prefetchu", 0}, {"prefetch", 0}, {"elect", 0}, {"cvt", 2},
        {"set", 2},    {"slct", 2},     {"dp4a", 2},      {"dp2a", 2}};
    if (i.opcode == "cp" || i.opcode == "mbarrier" || i.has("pack") || i.has("async")) return any;
    if (i.opcode == "bar" || i.opcode == "barrier") return i.has("red") ? 1 : 0;
    const auto found = kOf.find(i.opcode);
    return found == kOf.end() ? 1 : found->second;
}

std::string_view broken_rule(const Instruction& i, const std::vector<Type>& types) {
    const auto any = [&](std::initializer_list<std::string_view> names) {
        return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return i.has(name); });
    };
    const Type type = types.empty() ? Type::none : types.front();
    const std::string_view opcode = i.opcode;
    if (opcode == "fence" && !types.empty()) return "types: none is needed, as that";
    if (opcode == "fence" && !i.has("proxy") && any({"global", "shared", "local", "const", "param"}))
        return "spaces: it orders all, not that";
    if (opcode == "vote" && type != (i.has("ballot") ? Type::b32 : Type::pred))
        return "types: another is voted on in that";
    if (opcode == "ldmatrix" || opcode == "stmatrix" || opcode == "movmatrix") {
        if (type != Type::b16 && type != Type::b8) return "types: another is in a matrix than that";
        if (any({"global", "const", "local", "param"})) return "spaces: not shared memory, but that";
    }
    if (opcode == "shfl" && type != Type::b32) return "types: b32 is exchanged, not that";
    if (opcode == "cvta" && type != Type::u64 && type != Type::u32) return "types: no address is one, as that";
    if ((opcode == "dp4a" || opcode == "dp2a") && types.size() == 2 && !is_one_of(types[1], "w"))
        return "types: 32 bits are needed, not that";
    if (opcode == "prefetch" && !i.has("tensormap") && any({"shared", "const", "param"}))
        return "spaces: no cache is for that";
    if (opcode == "cp" && i.has("async") && !any({"bulk", "mbarrier"}) && any({"const", "local", "param"}))
        return "spaces: from global to shared memory, not that";
    if (opcode == "setp" && is_bits(type) && !any({"eq", "ne"})) return "types: no order among bits";
    const Type compared = opcode == "set" && types.size() == 2 ? types[1] : type;
    if ((opcode == "setp" || opcode == "set") && is_float(compared) && any({"lo", "ls", "hi", "hs"}))
        return "types: for unsigned integers, that";
    return "";
}

}  // namespace vgpu::ptx
