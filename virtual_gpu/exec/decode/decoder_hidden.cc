// Instructions that the decoder adds to those of the PTX: race checks that were postponed (late_checks.h), branches
// past barriers, and jumps between basic blocks whose order differs from the text's.
#include <algorithm>

#include "virtual_gpu/exec/decode/decoder.h"
#include "virtual_gpu/exec/decode/volatile_data.h"

namespace vgpu {

bool Decoder::check_late(int bytes, Column address, std::int64_t offset, std::uint8_t order) {
    const auto found = late_loads_.find(number);
    if (found == late_loads_.end()) return false;
    found->second = {bytes, address, offset, order};
    return true;
}

void Decoder::check_loads(bool after_load) {
    const auto here = std::ranges::equal_range(late_, number, {}, &LateCheck::before);
    for (const LateCheck& check : here) {
        if ((check.load == number) != after_load) continue;
        const LateLoad& load = late_loads_.at(check.load);
        if (load.bytes == 0) continue;
        in = nullptr;
        Instr& i = emit_hidden(late_check_handler(), kNone, load.address);
        passes(Rule::late_check);
        i.imm = load.offset;
        i.small = load.order;
        i.aux = static_cast<std::uint32_t>(load.bytes);
        i.source = check.load;
        i.guard = register_column(check.predicate);
        i.guard_negated = check.negated;
    }
}

// To where the text goes on, if another block is laid out behind the last one.
void Decoder::go_to(std::uint32_t instruction) {
    in = nullptr;
    Instr& i = emit_hidden(branch_handler(), kNone);
    passes(Rule::branch);
    i.imm = instruction;
    i.small = kIsBranch;
    i.source = instruction - 1;
}

// Lanes that take this branch, or do not, may go past a barrier.
void Decoder::mark_bypasses() {
    const auto here = std::ranges::equal_range(function.bypasses, number, {}, &ptx::Bypass::branch);
    for (const ptx::Bypass& bypass : here) {
        const auto n = static_cast<std::uint32_t>(&bypass - function.bypasses.data());
        if (bypass.taken) {
            function.code.back().run = branch_past_barriers_handler();
            function.code.back().aux = n;
        } else {
            in = nullptr;  // no guard: only lanes that do not branch come here
            emit_hidden(past_barriers_handler(), kNone).aux = n;
            passes(Rule::effect);
        }
    }
}

bool Decoder::takes_volatile_data() {
    if (!has("volatile")) return false;
    if (volatile_data_.empty()) volatile_data_ = volatile_data(source);
    return volatile_data_[number];
}

}  // namespace vgpu
