// Decoded code as text, for people.
#include <algorithm>
#include <cstring>

#include "virtual_gpu/exec/decode/code.h"

namespace vgpu {
namespace {

// A register by its name, a constant by its value, a temporary by its place.
std::string text_of(const Module& m, const Function& f, Column c) {
    if ((c & kConstantBit) != 0) {
        const std::uint32_t at = c & ~kConstantBit;
        std::uint64_t value = 0;
        std::memcpy(&value, &m.constants[at], m.constant_bytes[at / 64]);
        return std::to_string(value);
    }
    const auto found = std::ranges::find(f.columns, c);
    if (found == f.columns.end()) return "$" + std::to_string(c / 64);
    return f.source->registers[static_cast<std::size_t>(found - f.columns.begin())].name;
}

}  // namespace

std::string to_string(const Module& m, const Function& f, const Instr& i) {
    const auto& body = f.source->body;
    std::string text = std::to_string(&i - f.code.data()) + ": ";
    if (i.guard != kNoColumn) text += (i.guard_negated ? "@!" : "@") + text_of(m, f, i.guard) + " ";
    text += i.source < body.size() && i.opcode == body[i.source].opcode
                ? name_of(body[i.source])
                : std::string(i.opcode == Opcode::other ? "?" : ptx::row_of(i.opcode).name);
    if (i.hidden) text += " (helper)";
    for (const auto& [name, column] : {std::pair{" d=", i.d}, {" a=", i.a}, {" b=", i.b}, {" c=", i.c}})
        if (column != kNone) text += name + text_of(m, f, column);
    if (i.imm != 0) text += " imm=" + std::to_string(i.imm);
    if (i.aux != 0) text += " aux=" + std::to_string(i.aux);
    const Timing& t = f.timing[static_cast<std::size_t>(&i - f.code.data())];
    return text + " rule=" + std::to_string(static_cast<int>(f.passing_of(&i).rule)) +
           " latency=" + std::to_string(t.latency) + (t.stays ? " stays" : "");
}

}  // namespace vgpu
