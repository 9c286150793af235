#include "virtual_gpu/exec/decode/order_free.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "virtual_gpu/exec/decode/atomics.h"

namespace vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;

// Registers that say where or when a thread runs.
bool names_the_run(const Operand& o) {
    constexpr std::array kOthers = {"%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%lanemask", "WARP_SZ"};
    if (o.kind == Operand::Kind::special)
        return std::ranges::none_of(kOthers, [&](std::string_view other) { return o.name.starts_with(other); });
    return std::ranges::any_of(o.elements, names_the_run);
}

template <std::size_t kWords>
bool has_one_of(const Instruction& i, const std::array<const char*, kWords>& words) {
    return std::ranges::any_of(words, [&](const char* word) { return i.has(word); });
}

// The operation of an atomic, if the order of two of them makes no difference to what they leave; otherwise "".
std::string_view commutative_operation(const Instruction& i) {
    constexpr std::array kOperations = {"add", "min", "max", "and", "or", "xor"};
    constexpr std::array kNot = {"f16",   "f16x2",   "bf16",    "bf16x2",  "f32",  "f64",
                                 "async", "acquire", "release", "acq_rel", "noftz"};
    if (has_one_of(i, kNot)) return "";
    const auto found = std::ranges::find_if(kOperations, [&](const char* word) { return i.has(word); });
    return found == kOperations.end() ? "" : *found;
}

// Calls are of what the program does not define: see is_order_free().
bool is_plain_code(const Instruction& i) {
    return i.is(ptx::kPure | ptx::kOrderFree) && !is_strong(i) &&
           !has_one_of(i, std::array{"async", "arrive", "cluster"});
}

}  // namespace

bool is_order_free(const Function& f) {
    if (f.calls_indirectly) return false;
    // What the program does not define launches a kernel, allocates, prints or asserts.
    if (std::ranges::any_of(f.calls, [](const CallSite& c) { return !c.callee && c.name != "__assertfail"; })) {
        return false;
    }
    std::string_view operation;
    for (const Instruction& i : f.source->body) {
        if (std::ranges::any_of(i.operands, names_the_run)) return false;
        if (i.opcode != Opcode::atom && i.opcode != Opcode::red) {
            if (!is_plain_code(i)) return false;
            continue;
        }
        const std::string_view its = commutative_operation(i);
        if (its.empty() || is_result_used(*f.source, i) || (!operation.empty() && operation != its)) return false;
        operation = its;
    }
    return true;
}

}  // namespace vgpu
