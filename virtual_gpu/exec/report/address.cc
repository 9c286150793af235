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

// Numbers of 32 bits as one lane has computed them, and as they would be with more bits.
class Exact {
  public:
    Exact(const Warp& warp, const Definitions& definitions, int lane)
        : warp_(warp), definitions_(definitions), lane_(lane) {}

    // Of a register that its last value is still computed from; else the value itself.
    std::int64_t of(const Operand& op, bool is_signed, int depth = 0) const {
        if (op.kind == Operand::Kind::imm) return static_cast<std::int32_t>(op.bits);
        const auto column = warp_.function->columns[static_cast<std::size_t>(op.index)];
        const std::uint32_t bits = warp_.col<const std::uint32_t>(column)[lane_];
        const std::int64_t value = is_signed ? std::int64_t{static_cast<std::int32_t>(bits)} : std::int64_t{bits};
        const Instruction* i = depth < kDeepest ? only_definition(op.index) : nullptr;
        if (i == nullptr || i->guard >= 0 || !is_32(*i)) return value;
        const auto exact = computed(*i, is_signed, depth);
        return exact && static_cast<std::uint32_t>(*exact) == bits ? *exact : value;
    }

  private:
    static constexpr int kDeepest = 16;
    static constexpr std::int64_t kFarthest = std::int64_t{1} << 40;  // as far as numbers may get from 32 bits

    static bool is_32(const Instruction& i) {
        const bool is_other = i.has("cc") || i.has("sat") || i.has("hi") || i.has("wide");
        return !is_other && (i.has("s32") || i.has("u32") || i.has("b32"));
    }

    const Instruction* only_definition(int r) const {
        const auto found = definitions_.find(r);
        const bool is_one = found != definitions_.end() && found->second.size() == 1;
        return is_one ? &warp_.function->source->body[found->second.front()] : nullptr;
    }

    std::optional<std::int64_t> computed(const Instruction& i, bool is_signed, int depth) const {
        std::int64_t x[3] = {};
        for (std::size_t n = 1; n < i.operands.size(); ++n) {
            const auto kind = i.operands[n].kind;
            if (n > 3 || (kind != Operand::Kind::reg && kind != Operand::Kind::imm)) return std::nullopt;
            x[n - 1] = of(i.operands[n], is_signed, depth + 1);
            if (x[n - 1] < -kFarthest || x[n - 1] > kFarthest) return std::nullopt;
        }
        std::int64_t product = 0;
        switch (i.opcode) {
            case Opcode::mov:
                return x[0];
            case Opcode::neg:
                return -x[0];
            case Opcode::add:
                return x[0] + x[1];
            case Opcode::sub:
                return x[0] - x[1];
            case Opcode::shl:
                return x[1] >= 0 && x[1] < 32 && !__builtin_mul_overflow(x[0], std::int64_t{1} << x[1], &product)
                           ? std::optional(product)
                           : std::nullopt;
            case Opcode::mul:
            case Opcode::mad:
                return __builtin_mul_overflow(x[0], x[1], &product) || __builtin_add_overflow(product, x[2], &product)
                           ? std::nullopt
                           : std::optional(product);
            default:
                return std::nullopt;
        }
    }

    const Warp& warp_;
    const Definitions& definitions_;
    int lane_;
};

// The registers of 32 bits that this instruction makes 64 bits of, by their numbers among its operands.
std::vector<std::size_t> widened(const Instruction& i) {
    const bool is_cast = i.opcode == Opcode::cvt && (i.has("s64") || i.has("u64")) && (i.has("s32") || i.has("u32"));
    const bool is_product =
        (i.opcode == Opcode::mul || i.opcode == Opcode::mad) && i.has("wide") && (i.has("s32") || i.has("u32"));
    std::vector<std::size_t> found;
    for (std::size_t n = 1; n <= (is_cast ? 1u : is_product ? 2u : 0u) && n < i.operands.size(); ++n)
        if (i.operands[n].kind == Operand::Kind::reg) found.push_back(n);
    return found;
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

std::optional<Overflowed> overflowed_index(const Warp& warp, std::size_t access, int lane) {
    const ptx::Function& f = *warp.function->source;
    const Definitions definitions = definitions_of(f);
    const Exact numbers(warp, definitions, lane);
    std::vector<int> open;
    for (const Operand& op : f.body[access].operands)
        if (op.kind == Operand::Kind::address) each_register(op, [&](int r) { open.push_back(r); });
    std::unordered_set<int> seen(open.begin(), open.end());
    std::optional<Overflowed> found;
    int count = 0;
    while (!open.empty()) {
        const auto known = definitions.find(open.back());
        open.pop_back();
        if (known == definitions.end() || known->second.size() != 1) continue;
        const Instruction& i = f.body[known->second.front()];
        if (i.guard >= 0 || i.is(ptx::kLoads)) continue;
        const std::vector<std::size_t> narrow = widened(i);
        for (const std::size_t n : narrow) {
            const bool is_signed = i.has("s32");
            const std::int64_t exact = numbers.of(i.operands[n], is_signed);
            const bool fits =
                is_signed ? exact == static_cast<std::int32_t>(exact) : exact == static_cast<std::uint32_t>(exact);
            if (!fits) found = Overflowed{exact, is_signed, true};
            ++count;
        }
        for (std::size_t n = narrow.empty() ? 1 : i.operands.size(); n < i.operands.size(); ++n)
            each_register(i.operands[n], [&](int r) {
                if (seen.insert(r).second) open.push_back(r);
            });
        if (!narrow.empty() && i.opcode == Opcode::mad)
            each_register(i.operands.back(), [&](int r) {
                if (seen.insert(r).second) open.push_back(r);
            });
    }
    if (found) found->is_alone = count == 1;
    return found;
}

}  // namespace vgpu
