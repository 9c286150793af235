// A module's functions: declared when it is loaded, decoded when a kernel is launched that may reach them.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "virtual_gpu/exec/decode/atomics.h"
#include "virtual_gpu/exec/decode/decoder.h"
#include "virtual_gpu/exec/decode/order_free.h"

namespace vgpu {
namespace {

bool is_block_barrier(const ptx::Instruction& i) {
    return (i.opcode == Opcode::bar || i.opcode == Opcode::barrier) && !i.has("warp") && !i.has("cluster") &&
           !i.has("arrive");
}

// Functions with a barrier in them, or in one that they call.
void find_waiting(Module& module) {
    std::unordered_map<std::string_view, std::vector<const ptx::Function*>> callers;
    std::vector<const ptx::Function*> open;
    for (const ptx::Function& f : module.program.functions) {
        for (const ptx::Instruction& i : f.body)
            if (i.call) callers[i.call->callee].push_back(&f);
        if (std::any_of(f.body.begin(), f.body.end(), is_block_barrier)) open.push_back(&f);
    }
    while (!open.empty()) {
        const ptx::Function& f = *open.back();
        open.pop_back();
        if (!module.waiting.insert(f.name).second) continue;
        const auto& by = callers[f.name];
        open.insert(open.end(), by.begin(), by.end());
    }
}

}  // namespace

bool waits(const Module& module, const ptx::Instruction& i) {
    return is_block_barrier(i) || (i.call && module.waiting.contains(i.call->callee));
}

void declare_functions(Module& module) {
    std::uint32_t base = 0;
    for (std::size_t n = 0; n < module.program.functions.size(); ++n) {
        auto f = std::make_unique<Function>();
        f->source = &module.program.functions[n];
        f->name = f->source->name;
        f->number = static_cast<int>(n);
        f->is_defined = !f->source->body.empty() || f->source->is_entry || !f->source->is_extern;
        f->count_base = base;
        base += static_cast<std::uint32_t>(f->source->body.size()) + 1;
        module.function_numbers.emplace(f->name, f->number);
        if (f->source->is_entry) {
            std::uint32_t at = 0;
            for (const auto& v : f->source->params) {
                const auto align = static_cast<std::uint32_t>(std::max({v.align, size_of(v.type), 1}));
                at = (at + align - 1) / align * align;
                f->params.push_back({v.name, at, static_cast<std::uint32_t>(v.bytes())});
                at += static_cast<std::uint32_t>(v.bytes());
            }
        }
        module.functions.push_back(std::move(f));
    }
    module.instructions = base;
    find_waiting(module);
}

void use_rules(Module& module, const what_if::Rules& rules) {
    if (module.rules.text == rules.text) return;
    const bool is_same = !module.rules.change_code() && !rules.change_code();
    module.rules = rules;
    for (const auto& f : module.functions) {
        if (is_same || !f->is_decoded) continue;
        Function fresh;
        fresh.name = f->name;
        fresh.source = f->source;
        fresh.number = f->number;
        fresh.is_defined = f->is_defined;
        fresh.has_address = f->has_address;
        fresh.count_base = f->count_base;
        if (f->source->is_entry) fresh.params = f->params;
        *f = std::move(fresh);
    }
}

void decode(Module& module, Function& function) {
    if (function.is_decoded || !function.is_defined) return;
    std::vector<int> todo = {function.number};
    for (const auto& v : module.program.variables)  // tables of functions
        for (const auto& reloc : v.relocations)
            if (const auto f = module.function_numbers.find(reloc.symbol); f != module.function_numbers.end())
                todo.push_back(f->second);
    while (!todo.empty()) {
        Function& f = *module.functions[static_cast<std::size_t>(todo.back())];
        todo.pop_back();
        if (f.is_decoded || !f.is_defined) continue;
        f.is_decoded = true;
        f.may_draw_tickets = may_draw_tickets(*f.source);
        Decoder(module, f).run();
        f.is_order_free = is_order_free(f);
        todo.insert(todo.end(), f.callees.begin(), f.callees.end());
    }
    const std::size_t needed = module.constants.size() + 128;
    if (module.constants_storage.empty() || module.constants_storage.back().size() < needed) {
        const auto& storage = module.constants_storage.emplace_back(2 * needed);
        module.constants_at =
            reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(storage.data()) + 63) / 64 * 64);
    }
    if (!module.constants.empty()) std::memcpy(module.constants_at, module.constants.data(), module.constants.size());
}

}  // namespace vgpu
