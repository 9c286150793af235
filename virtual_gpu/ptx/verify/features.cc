// What .version and .target have.
#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/ptx/tensor_form.h"
#include "virtual_gpu/ptx/verify/verify.h"

namespace vgpu::ptx {
namespace {

// The first target and version with an instruction, or with a modifier of it. Opcode "": of any instruction; a modifier
// that ends in '*': any that begins so.
struct Feature {
    std::string_view opcode, modifier;
    int capability = 0, major = 0, minor = 0;
};
constexpr std::array kFeatures = std::to_array<Feature>({
    {"redux", "", 80, 7, 0},
    {"mbarrier", "", 80, 7, 0},
    {"mbarrier", "try_wait", 90, 7, 8},
    {"mbarrier", "expect_tx", 90, 8, 0},
    {"mbarrier", "complete_tx", 90, 8, 0},
    {"cp", "async", 80, 7, 0},
    {"cp", "bulk", 90, 8, 0},
    {"cp", "tensor", 90, 8, 0},
    {"discard", "", 80, 7, 4},
    {"applypriority", "", 80, 7, 4},
    {"createpolicy", "", 80, 7, 4},
    {"elect", "", 90, 8, 0},
    {"griddepcontrol", "", 90, 7, 8},
    {"mapa", "", 90, 7, 8},
    {"getctarank", "", 90, 7, 8},
    {"setmaxnreg", "", 90, 8, 0},
    {"wgmma", "", 90, 8, 0},
    {"multimem", "", 90, 8, 1},
    {"ldmatrix", "", 75, 6, 5},
    {"movmatrix", "", 75, 7, 8},
    {"stmatrix", "", 90, 7, 8},
    {"", "b128", 70, 8, 3},
    {"mma", "sp", 80, 7, 0},
    {"tcgen05", "", 100, 8, 6},
    {"clusterlaunchcontrol", "", 100, 8, 6},
    {"st", "async", 90, 8, 1},
    {"red", "async", 90, 8, 1},
    {"barrier", "cluster", 90, 7, 8},
    {"fence", "async*", 90, 8, 0},
    {"fence", "mbarrier_init", 90, 8, 0},
    {"fence", "tensormap*", 90, 8, 3},
    {"fence", "proxy", 70, 7, 5},
    {"", "cluster", 90, 7, 8},
    {"", "shared::cluster", 90, 7, 8},
    {"", "multicast::cluster", 90, 8, 0},
    {"", "L2::256B", 80, 7, 4},
    {"", "L2::cache_hint", 80, 7, 4},
    {"", "L2::evict*", 80, 7, 4},
    {"", "bf16", 80, 7, 0},
    {"", "bf16x2", 80, 7, 0},
    {"", "tf32", 80, 7, 0},
    {"", "relu", 80, 7, 0},
    {"", "e4m3x2", 89, 7, 8},
    {"", "e5m2x2", 89, 7, 8},
    {"min", "NaN", 80, 7, 0},
    {"max", "NaN", 80, 7, 0},
    {"min", "f16*", 80, 7, 0},
    {"max", "f16*", 80, 7, 0},
    {"min", "xorsign", 86, 7, 2},
    {"max", "xorsign", 86, 7, 2},
    {"add", "bf16*", 90, 7, 8},
    {"sub", "bf16*", 90, 7, 8},
    {"mul", "bf16*", 90, 7, 8},
    {"set", "bf16*", 90, 7, 8},
    {"setp", "bf16*", 90, 7, 8},
    {"ex2", "bf16*", 90, 7, 8},
    {"tanh", "bf16*", 90, 7, 8},
    {"atom", "bf16*", 90, 7, 8},
    {"red", "bf16*", 90, 7, 8},
    {"atom", "v2", 90, 8, 1},
    {"atom", "v4", 90, 8, 1},
    {"atom", "v8", 90, 8, 1},
    {"red", "v2", 90, 8, 1},
    {"red", "v4", 90, 8, 1},
    {"red", "v8", 90, 8, 1},
    {"atom", "b128", 90, 8, 3},
    {"add", "u16x2", 90, 8, 0},
    {"add", "s16x2", 90, 8, 0},
    {"min", "u16x2", 90, 8, 0},
    {"min", "s16x2", 90, 8, 0},
    {"max", "u16x2", 90, 8, 0},
    {"max", "s16x2", 90, 8, 0},
    {"add", "f32x2", 100, 8, 6},
    {"sub", "f32x2", 100, 8, 6},
    {"mul", "f32x2", 100, 8, 6},
    {"fma", "f32x2", 100, 8, 6},
    {"ld", "v8", 100, 8, 8},
    {"st", "v8", 100, 8, 8},
    {"shl", "wide*", 100, 9, 0},
});
// Special registers, by how they begin.
constexpr std::array kRegisters = std::to_array<Feature>({
    {"", "%cluster", 90, 7, 8},
    {"", "%ncluster", 90, 7, 8},
    {"", "%is_explicit_cluster", 90, 7, 8},
    {"", "%aggr_smem_size", 90, 8, 1},
    {"", "%reserved_smem_offset", 80, 7, 6},
    {"", "%current_graph_exec", 50, 8, 0},
});

bool matches(std::string_view pattern, std::string_view word) {
    return pattern.ends_with('*') ? word.starts_with(pattern.substr(0, pattern.size() - 1)) : word == pattern;
}

void need(const Program& p, const Feature& f, const std::string& what, int line) {
    if (capability_of(p.target) < f.capability)
        throw Refused(
            ".target: " + what + " needs sm_" + std::to_string(f.capability) + ", and this is for " + p.target, line);
    if (std::pair(p.version_major, p.version_minor) < std::pair(f.major, f.minor))
        throw Refused(".version: " + what + " needs PTX " + std::to_string(f.major) + "." + std::to_string(f.minor),
                      line);
}

void check_registers(const Program& p, const Instruction& i, const Operand& op) {
    if (op.kind == Operand::Kind::special)
        for (const Feature& f : kRegisters)
            if (op.name.starts_with(f.modifier)) need(p, f, op.name, i.ptx_line);
    for (const Operand& element : op.elements) check_registers(p, i, element);
}

}  // namespace

int capability_of(std::string_view target) {
    int number = 0;
    if (!target.starts_with("sm_")) return 0;
    const char* const end = target.data() + target.size();
    const char* const stop = std::from_chars(target.data() + 3, end, number).ptr;
    const bool is_known = stop == end || (end - stop == 1 && (*stop == 'a' || *stop == 'f'));
    return is_known ? number : 0;
}

void verify_features(const Program& p, const Instruction& i) {
    // Most instructions are of opcodes and have modifiers of which nothing is said: they are passed over quickly.
    static const auto kOf = [] {
        std::unordered_map<std::string_view, std::vector<const Feature*>> of;
        for (const Feature& f : kFeatures) of[f.opcode.empty() ? f.modifier.substr(0, 4) : f.opcode].push_back(&f);
        return of;
    }();
    const auto check = [&](const Feature& f, std::string_view modifier) {
        if (f.modifier.empty() || matches(f.modifier, modifier))
            need(p, f, std::string(i.name()) + (f.modifier.empty() ? "" : "." + std::string(modifier)), i.ptx_line);
    };
    if (const auto found = kOf.find(i.name()); found != kOf.end())
        for (const Feature* f : found->second) {
            if (f->opcode.empty()) continue;
            if (f->modifier.empty()) check(*f, "");
            for (const std::string& m : i.modifiers) check(*f, m);
        }
    for (const std::string& m : i.modifiers)
        if (const auto found = kOf.find(std::string_view(m).substr(0, 4)); found != kOf.end())
            for (const Feature* f : found->second)
                if (f->opcode.empty()) check(*f, m);
    if (const bool is_wide = i.has("v4") && (i.has("b64") || i.has("u64") || i.has("s64") || i.has("f64"));
        is_wide && (i.opcode == Opcode::ld || i.opcode == Opcode::st))
        need(p, {"", "", 100, 8, 8}, "a vector of 32 bytes", i.ptx_line);
    if (i.opcode == Opcode::wmma || i.opcode == Opcode::mma)
        if (const auto form = tensor_form(i)) need(p, {"", "", capability_of(*form), 6, 5}, name_of(i), i.ptx_line);
    for (const Operand& op : i.operands) check_registers(p, i, op);
}

}  // namespace vgpu::ptx
