#include "virtual_gpu/exec/report/address.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>
#include <unordered_set>

#include "virtual_gpu/exec/machine/machine.h"

namespace vgpu {
namespace {

using ptx::Instruction;
using ptx::Operand;

bool is_wide(const Instruction& load) {
    return std::ranges::any_of(load.modifiers, [](const std::string& m) {
        const ptx::Type type = ptx::type_named(m);
        return type != ptx::Type::none && ptx::size_of(type) == 8;
    });
}

}  // namespace

Definitions definitions_of(const ptx::Function& f) {
    Definitions out;
    for (std::size_t n = 0; n < f.body.size(); ++n) {
        const Instruction& i = f.body[n];
        if (has_result(i)) each_register(i.operands[0], [&](int r) { out[r].push_back(n); });
    }
    return out;
}

AddressParts parts_of_address(const ptx::Function& f, const Definitions& definitions, std::size_t access) {
    std::vector<int> open;
    const auto add = [&](int r) { open.push_back(r); };
    AddressParts parts;
    for (const Operand& op : f.body[access].operands) {
        if (op.kind != Operand::Kind::address) continue;
        each_register(op, add);
        if (op.index < 0 && !op.name.empty()) parts.symbols.push_back(op.name);
    }
    std::unordered_set<int> seen(open.begin(), open.end());
    while (!open.empty()) {
        const int r = open.back();
        open.pop_back();
        const auto found = definitions.find(r);
        if (found == definitions.end()) continue;
        for (const std::size_t n : found->second) {
            const Instruction& i = f.body[n];
            if (i.is(ptx::kLoads)) {
                (i.has("param") || i.has("const") ? parts.parameters : parts.memory).push_back(n);
                continue;
            }
            for (std::size_t o = 1; o < i.operands.size(); ++o) {
                each_register(i.operands[o], [&](int r) {
                    if (seen.insert(r).second) open.push_back(r);
                });
                if (i.operands[o].kind == Operand::Kind::symbol) parts.symbols.push_back(i.operands[o].name);
            }
        }
    }
    return parts;
}

const Allocation* array_meant(const Run& run, std::size_t access) {
    const Function& kernel = *run.grid.kernel;
    const Launch& launch = run.grid.launch;
    const Memory& memory = run.memory;
    const ptx::Function& f = *kernel.source;
    if (!f.is_entry || access >= f.body.size()) return nullptr;
    const AddressParts parts = parts_of_address(f, definitions_of(f), access);
    for (const std::size_t n : parts.memory)
        if (is_wide(f.body[n])) return nullptr;  // it may be a pointer
    std::unordered_set<DevicePtr> pointers;
    for (const std::string& name : parts.symbols)
        if (const auto s = run.module.symbols.find(name); s != run.module.symbols.end())
            pointers.insert(s->second.address);
    for (const std::size_t n : parts.parameters) {
        const Instruction& load = f.body[n];
        const Operand& from = load.operands.back();
        if (!is_wide(load) || load.has("const")) continue;
        const auto parameter = std::ranges::find(f.params, from.name, &ptx::Variable::name);
        if (parameter == f.params.end()) return nullptr;
        const auto number = static_cast<std::size_t>(parameter - f.params.begin());
        const std::size_t at = kernel.params[number].offset + static_cast<std::size_t>(from.offset);
        DevicePtr value = 0;
        for (std::size_t part = 0; part < std::max<std::size_t>(load.operands[0].elements.size(), 1); ++part) {
            if (at + (part + 1) * sizeof value > launch.params.size()) return nullptr;
            std::memcpy(&value, &launch.params[at + part * sizeof value], sizeof value);
            if (memory.find(value) != nullptr) pointers.insert(value);
        }
    }
    return pointers.size() == 1 ? memory.find(*pointers.begin()) : nullptr;
}

}  // namespace vgpu
