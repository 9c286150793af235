#include "virtual_gpu/ptx/opcode.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

Opcode opcode_named(std::string_view name) {
    static const auto kNamed = [] {
        std::unordered_map<std::string_view, Opcode> named;
        for (std::size_t n = 1; n < kOpcodes.size(); ++n) named.emplace(kOpcodes[n].name, static_cast<Opcode>(n));
        return named;
    }();
    const auto found = kNamed.find(name);
    return found == kNamed.end() ? Opcode::other : found->second;
}

std::string name_of(const Instruction& i) {
    std::string text(i.name());
    for (const std::string& m : i.modifiers) text += "." + m;
    return text;
}

bool is_strong(const Instruction& i) {
    constexpr std::array<std::string_view, 5> kStrong = {"volatile", "relaxed", "acquire", "release", "mmio"};
    return std::ranges::any_of(kStrong, [&](std::string_view word) { return i.has(word); });
}

bool has_result(const Instruction& i) {
    if (i.operands.empty() || i.operands[0].kind == Operand::Kind::address) return false;
    if (i.opcode == Opcode::bar || i.opcode == Opcode::barrier) return i.has("red");  // __syncthreads_or() has one
    return !i.is(kNoResult);
}

}  // namespace vgpu::ptx
