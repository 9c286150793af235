// Arrays by the names that the source gives them.
#include <algorithm>
#include <cstring>

#include "virtual_gpu/exec/machine/machine.h"
#include "virtual_gpu/exec/report/names.h"
#include "virtual_gpu/exec/report/source_names.h"

namespace vgpu {
namespace {

// What an allocation is called that nobody has named; what follows is where it was made. And an array of the labs'
// Workspace, whose label tells nothing to the one who has asked for it.
constexpr const char *kUnnamed = "allocation of ", *kMadeAt = " made at ", *kWorkspace = "workspace array ";

using ptx::Instruction;
using ptx::Operand;

const Instruction* only_definition(const ptx::Function& f, int r) {
    const Instruction* found = nullptr;
    for (const Instruction& i : f.body) {
        if (!has_result(i) || i.operands[0].kind != Operand::Kind::reg || i.operands[0].index != r) continue;
        if (found) return nullptr;
        found = &i;
    }
    return found;
}

std::optional<std::int64_t> start_of(const ptx::Function& f, const Operand& op, int depth) {
    if (op.kind == Operand::Kind::symbol)
        return op.name.find("__local_depot") != std::string::npos ? std::optional(op.offset) : std::nullopt;
    const Instruction* i = op.kind == Operand::Kind::reg && depth < 16 ? only_definition(f, op.index) : nullptr;
    if (!i) return std::nullopt;
    if ((i->opcode == Opcode::mov || i->opcode == Opcode::cvta) && i->operands.size() == 2)
        return start_of(f, i->operands[1], depth + 1);
    const bool adds = i->opcode == Opcode::add && i->operands.size() == 3;
    if (!adds && !(i->opcode == Opcode::mad && i->operands.size() == 4)) return std::nullopt;
    const Operand& last = i->operands.back();
    const auto first = adds ? start_of(f, i->operands[1], depth + 1) : std::nullopt;
    if (first) return last.kind == Operand::Kind::imm ? *first + static_cast<std::int64_t>(last.bits) : first;
    return start_of(f, last, depth + 1);
}

}  // namespace

std::optional<std::int64_t> local_array_start(const ptx::Function& f, std::size_t instruction) {
    for (const Operand& op : f.body[std::min(instruction, f.body.size() - 1)].operands) {
        if (op.kind != Operand::Kind::address) continue;
        Operand base;
        base.kind = op.index >= 0 ? Operand::Kind::reg : Operand::Kind::symbol;
        base.index = op.index;
        base.name = op.name;
        return start_of(f, base, 0);
    }
    return std::nullopt;
}

const std::vector<std::string>& Reporter::lines_of(int file) const {
    return source_lines(module_.program.files[static_cast<std::size_t>(file)]);
}

bool Reporter::points_into(const ParamPlace& p, const Allocation& a) const {
    const Launch& launch = run_->grid.launch;
    for (std::uint32_t at = 0; at + 8 <= p.bytes && p.offset + at + 8 <= launch.params.size(); at += 8) {
        DevicePtr value = 0;
        std::memcpy(&value, &launch.params[p.offset + at], sizeof value);
        if (value >= a.base && value - a.base < a.bytes) return true;
    }
    return false;
}

const std::vector<std::string>& Reporter::texts_of_kernel() const {
    const auto& files = module_.program.files;
    const int file = run_->grid.kernel->source->where.file;
    const auto [known, is_new] = texts_.try_emplace(file);
    if (is_new && file >= 0 && static_cast<std::size_t>(file) < files.size())
        known->second = texts_with_headers(files[static_cast<std::size_t>(file)]);
    return known->second;
}

const Layout& Reporter::layout_of(const Allocation& a) const {
    static const Layout kNotKnown;
    const Function& kernel = *run_->grid.kernel;
    for (std::size_t n = 0; n < kernel.params.size(); ++n) {
        if (kernel.params[n].bytes != sizeof(DevicePtr) || !points_into(kernel.params[n], a)) continue;
        const auto [known, is_new] = layouts_.try_emplace({&kernel, n});
        if (!is_new) return known->second;
        const std::vector<std::string> types = parameter_types(demangled(kernel.name));
        if (types.size() == kernel.params.size()) known->second = vgpu::layout_of(types[n], texts_of_kernel());
        return known->second;
    }
    return kNotKnown;
}

const Layout& Reporter::layout_of_shared(std::size_t variable) const {
    const Function& kernel = *run_->grid.kernel;
    const auto [known, is_new] = shared_layouts_.try_emplace({&kernel, variable});
    if (is_new) {
        const auto& texts = texts_of_kernel();
        known->second = shared_layout(short_name(module_.shared[variable].name), run_->setup.shared.size[variable],
                                      texts, arguments_of(demangled(kernel.name), texts));
    }
    return known->second;
}

Reporter::Element Reporter::global_element(const Allocation& a, DevicePtr address, int bytes) const {
    const std::string name = name_of(a);
    const Layout& layout = layout_of(a);
    const auto offset = static_cast<std::int64_t>(address - a.first);
    return {name, element_text(name, offset, bytes, layout, false), element_index(offset, bytes, layout)};
}

std::string Reporter::argument_for(const Allocation& a) const {
    const Function& kernel = *run_->grid.kernel;
    const auto known = parameters_.find(&kernel);
    const ptx::Location where = kernel.source->where;
    const bool has_lines = where.line > 0 && static_cast<std::size_t>(where.file) < module_.program.files.size();
    if (known == parameters_.end())
        parameters_[&kernel] =
            has_lines ? parameter_names(lines_of(where.file), where.line, short_name(kernel.name), kernel.params.size())
                      : std::vector<std::string>{};
    const std::vector<std::string>& names = parameters_[&kernel];
    std::vector<std::string> found;
    for (std::size_t n = 0; n < kernel.params.size(); ++n) {
        const ParamPlace& p = kernel.params[n];
        if (!points_into(p, a)) continue;
        found.push_back(n < names.size() && !names[n].empty()
                            ? (p.bytes > 8 ? "a member of " : "") + names[n]
                            : "argument " + std::to_string(n + 1) + " of " + kernel_name());
    }
    std::string out = found.empty() ? "" : found.front();  // "sums (and counts, flags)"
    for (std::size_t n = 1; n < found.size(); ++n) out += (n == 1 ? " (and " : ", ") + found[n];
    return found.size() > 1 ? out + ")" : out;
}

std::string Reporter::name_of(const Allocation& a) const {
    if (!a.label.starts_with(kUnnamed) && !a.label.starts_with(kWorkspace))
        return a.label.empty() ? "an array" : a.label;
    const std::string argument = argument_for(a);
    return argument.empty() ? a.label : argument;
}

std::string Reporter::made_at(const Allocation& a) const {
    const std::size_t at = a.label.find(kMadeAt);
    const std::string name = name_of(a);
    if (name == a.label) {
        const std::string own = argument_for(a);
        const bool is_word = own.find_first_of(" (") == std::string::npos;
        return own.empty() || !is_word || name.ends_with(own) || name.find(' ') != std::string::npos
                   ? ""
                   : "; in the kernel, " + name + " is " + own;
    }
    if (at == std::string::npos) return "";
    return "; " + name + " was allocated at " + a.label.substr(at + std::strlen(kMadeAt));
}

}  // namespace vgpu
