#include "virtual_gpu/exec/decode/missing.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "virtual_gpu/exec/decode/decoder.h"
#include "virtual_gpu/exec/report/names.h"

namespace vgpu {
namespace {

// Instructions and modifiers that are missing, by the part of CUDA that needs them. An opcode may stay when somebody
// has implemented it: it is not listed, and names what a form of it needs that is still missing.
struct MissingPart {
    std::string_view opcode, modifier;  // one of them may be "", which is any; an opcode with '*' begins so
    std::string_view feature;           // with its verb
};
constexpr std::array kMissingParts = std::to_array<MissingPart>({
    {"", "shared::cluster", "clusters of thread blocks are"},
    {"", "cluster", "clusters of thread blocks are"},
    {"mapa", "", "clusters of thread blocks are"},
    {"getctarank", "", "clusters of thread blocks are"},
    {"clusterlaunchcontrol", "", "clusters of thread blocks are"},
    {"", "multicast::cluster", "clusters of thread blocks are"},
    {"mma", "sp", "products of sparse matrices are"},
    {"mma", "sp::ordered_metadata", "products of sparse matrices are"},
    {"mma", "m8n8k4", "products of halves of 8 x 8 x 4 are"},
    {"mma", "e4m3", "products of 8-bit floats are"},
    {"mma", "e5m2", "products of 8-bit floats are"},
    {"mma", "", "tensor cores are"},
    {"wmma", "", "tensor cores are"},
    {"wgmma", "", "tensor cores are"},
    {"tcgen05", "", "tensor cores are"},
    {"cp", "tensor", "copies by tensor maps are"},
    {"tensormap", "", "copies by tensor maps are"},
    {"cp", "reduce", "bulk reductions are"},
    {"red", "async", "asynchronous reductions are"},
    {"st", "async", "asynchronous stores are"},
    {"st", "bulk", "bulk stores are"},
    {"multimem", "", "multimem accesses are"},
    {"tex", "", "textures are"},
    {"tld4", "", "textures are"},
    {"txq", "", "textures are"},
    {"istypep", "", "textures are"},
    {"suld", "", "surfaces are"},
    {"sust", "", "surfaces are"},
    {"sured", "", "surfaces are"},
    {"suq", "", "surfaces are"},
    {"vadd*", "", "SIMD video instructions are"},
    {"vsub*", "", "SIMD video instructions are"},
    {"vabsdiff*", "", "SIMD video instructions are"},
    {"vmin*", "", "SIMD video instructions are"},
    {"vmax*", "", "SIMD video instructions are"},
    {"vavrg*", "", "SIMD video instructions are"},
    {"vset*", "", "SIMD video instructions are"},
    {"vshl", "", "SIMD video instructions are"},
    {"vshr", "", "SIMD video instructions are"},
    {"vmad", "", "SIMD video instructions are"},
    {"alloca", "", "memory on the stack by alloca is"},
    {"stacksave", "", "memory on the stack by alloca is"},
    {"stackrestore", "", "memory on the stack by alloca is"},
    {"ldmatrix", "", "matrices in registers are"},
    {"stmatrix", "", "matrices in registers are"},
    {"movmatrix", "", "matrices in registers are"},
    {"createpolicy", "", "cache policies are"},
    {"fns", "", "the instruction fns is"},
    {"bmsk", "", "the instruction bmsk is"},
    {"szext", "", "the instruction szext is"},
});

bool is_of(std::string_view pattern, std::string_view word) {
    if (pattern.ends_with('*')) return word.starts_with(pattern.substr(0, pattern.size() - 1));
    return pattern.empty() || pattern == word;
}

}  // namespace

std::string missing_instruction(const ptx::Instruction& i) {
    const std::string text = name_of(i);
    const auto* const part = std::find_if(kMissingParts.begin(), kMissingParts.end(), [&](const MissingPart& p) {
        return is_of(p.opcode, i.name()) && (p.modifier.empty() || i.has(p.modifier));
    });
    if (part == kMissingParts.end()) return "the instruction " + text + " is";
    const std::size_t verb = part->feature.rfind(' ');
    return std::string(part->feature.substr(0, verb)) + " (" + text + ")" + std::string(part->feature.substr(verb));
}

std::string missing_call(const std::string& callee) {
    constexpr std::string_view kDeviceRuntime = "__cudaCDP2";
    if (callee.starts_with(kDeviceRuntime)) {
        std::string name = callee.substr(kDeviceRuntime.size());
        for (const std::string_view end : {"_ptsz", "V2"})
            if (name.ends_with(end)) name.resize(name.size() - end.size());
        return "a call of cuda" + name + "() in a kernel is";
    }
    return "a call of " + demangled(callee) + " in a kernel is";
}

// Of an opcode with a modifier that is in the table, this form is missing even if the opcode has a decoder.
std::string missing_parts() {
    std::map<std::string_view, std::set<std::string>> by_feature;
    for (const MissingPart& part : kMissingParts) {
        if (part.modifier.empty() && has_decoder(ptx::opcode_named(part.opcode))) continue;
        std::string name(part.opcode.empty() ? part.modifier : part.opcode);
        if (!part.opcode.empty() && !part.modifier.empty()) name += "." + std::string(part.modifier);
        by_feature[part.feature.substr(0, part.feature.rfind(' '))].insert(name);
    }
    std::string text;
    for (const auto& [feature, names] : by_feature) text += missing_line(feature, names);
    return text;
}

std::string missing_line(std::string_view feature, const std::set<std::string>& names) {
    constexpr std::size_t kWidest = 118;
    std::string text = "- " + std::string(feature) + ":";
    std::size_t width = text.size();
    for (const std::string& name : names) {
        const std::string word =
            (name.ends_with('?') ? "`" + name.substr(0, name.size() - 1) + "`?" : "`" + name + "`") +
            (name == *names.rbegin() ? "" : ",");
        const bool fits = width + 1 + word.size() <= kWidest;
        text += (fits ? " " : "\n  ") + word;
        width = fits ? width + 1 + word.size() : 2 + word.size();
    }
    return text + "\n";
}

}  // namespace vgpu
