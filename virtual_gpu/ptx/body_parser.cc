// Function bodies: scopes, registers, labels, statements.
#include <algorithm>
#include <cstdlib>

#include "virtual_gpu/ptx/blocks.h"
#include "virtual_gpu/ptx/parse_state.h"

namespace vgpu::ptx {
namespace {

constexpr int kMostRegisters = 1 << 20;
constexpr std::size_t kDeepestScope = 64;

// The number of a register in a range: digits without a leading zero.
bool is_number(std::string_view digits, int& out) {
    if (digits.empty() || digits.size() > 8 || (digits.size() > 1 && digits.front() == '0')) return false;
    out = 0;
    for (const char digit : digits) {
        if (digit < '0' || digit > '9') return false;
        out = out * 10 + (digit - '0');
    }
    return true;
}

}  // namespace

void BodyParser::parse() {
    where_ = {};
    scopes_.emplace_back();
    for (const auto* list : {&function_.params, &function_.returns})
        for (const Variable& variable : *list) {
            // views into the function's own vectors, which stay as they are while the body is parsed
            if (!scopes_.back().names.try_emplace(variable.name, Name{Name::Kind::variable, -1, variable.name}).second)
                in_.fail("parameter '" + variable.name + "' is declared twice");
            taken_.try_emplace(variable.name, 0);
        }
    while (!scopes_.empty()) parse_statement();
    // Falling off the end, or jumping there, returns.
    const int size = static_cast<int>(function_.body.size());
    bool jumps_to_end = false;
    for (const Instruction& instruction : function_.body)
        for (const Operand& operand : instruction.operands)
            jumps_to_end = jumps_to_end || (operand.kind == Operand::Kind::label && operand.index == size) ||
                           std::ranges::count(operand.targets, size) > 0;
    if (size == 0 || jumps_to_end || goes_on(function_.body.back())) {
        Instruction ret;
        ret.opcode = Opcode::ret;
        ret.where = where_;
        function_.body.push_back(std::move(ret));
    }
}

void BodyParser::parse_statement() {
    if (in_.at_end()) in_.fail("function '" + function_.name + "' has no end");
    if (in_.accept(';')) return;
    if (in_.accept('{')) {
        if (scopes_.size() >= kDeepestScope) in_.fail("blocks nested too deeply");
        scopes_.emplace_back();
        return;
    }
    if (in_.accept('}')) return parse_block_end();
    if (in_.accept('@')) {
        const bool negated = in_.accept('!');
        const int guard = predicate(in_.name("a predicate register"));
        const std::size_t before = function_.body.size();
        parse_instruction(in_.name("an instruction"));
        function_.body[before].guard = guard;
        function_.body[before].guard_negated = negated;
        return;
    }
    if (const std::string_view word = in_.directive(); !word.empty()) return parse_directive(word);
    const std::string_view word = in_.name("an instruction");
    if (!parse_label(word)) parse_instruction(word);
}

void BodyParser::parse_directive(std::string_view word) {
    if (word == ".loc") {
        where_ = locations_.parse_loc(in_);
        if (function_.where == Location{}) function_.where = where_;
    } else if (word == ".reg") {
        parse_registers();
    } else if (word == ".local" || word == ".param" || word == ".shared") {
        const Space space = word == ".local" ? Space::local : word == ".param" ? Space::param : Space::shared;
        do {
            Variable variable = parse_variable(in_, space);
            const std::string written = variable.name;
            variable.name = unique(written);
            variable.where = where_;
            declare(*names_.insert(written).first, Name{Name::Kind::variable, -1, variable.name});
            (space == Space::shared ? function_.shared : function_.locals).push_back(std::move(variable));
        } while (in_.accept(','));
        in_.expect(';', "after a variable");
    } else if (word == ".global" || word == ".const") {
        Variable variable = parse_variable(in_, word == ".global" ? Space::global : Space::constant);
        const std::string written = variable.name;
        variable.name = function_.name + "::" + unique(written);
        declare(*names_.insert(written).first, Name{Name::Kind::variable, -1, variable.name});
        program_.variables.push_back(std::move(variable));
        in_.expect(';', "after a variable");
    } else if (word == ".pragma") {
        do {
            constexpr std::string_view kUsed = "used_bytes_mask ";
            const std::string_view text = in_.quoted();
            if (text.starts_with(kUsed))
                unused_bytes_ = ~static_cast<std::uint32_t>(std::strtoul(text.substr(kUsed.size()).data(), nullptr, 0));
        } while (in_.accept(','));
        in_.expect(';', "after .pragma");
    } else if (word == ".file") {
        locations_.parse_file(in_);
    } else {
        in_.fail("'" + std::string(word) + "' is not supported in a function");
    }
}

std::string BodyParser::unique(std::string_view name) {
    std::string result(name);
    int& count = taken_.try_emplace(result, -1).first->second;
    if (++count == 0) return result;
    return result + "#" + std::to_string(count);  // '#' stands in no PTX name
}

// Names of a block are unique, those that a range of registers stands for, too.
void BodyParser::check_fresh(std::string_view name, int count) {
    const auto fail = [&] { in_.fail("'" + std::string(name) + "' is declared twice"); };
    const Scope& scope = scopes_.back();
    if (count < 0) {
        const int found = find_in(scope, name);
        if (found >= 0 || scope.names.contains(name)) fail();
        return;
    }
    for (const RegisterRange& range : scope.ranges)
        if (range.prefix == name && range.count > 0 && count > 0) fail();
    for (const auto& [other, what] : scope.names) {
        int number = 0;
        if (what.kind == Name::Kind::reg && other.starts_with(name) && is_number(other.substr(name.size()), number) &&
            number < count)
            fail();
    }
}

void BodyParser::declare(std::string_view name, Name what) {
    if (!scopes_.back().names.insert_or_assign(name, std::move(what)).second)
        in_.fail("'" + std::string(name) + "' is declared twice");
}

void BodyParser::parse_registers() {
    const std::string_view type_name = in_.directive();
    const Type type = type_named(type_name);
    if (type == Type::none) in_.fail("registers of type '" + std::string(type_name) + "' are not supported");
    do {
        const std::string_view name = in_.name("a register");
        std::int64_t count = 1;
        const bool is_range = in_.accept('<');
        if (is_range) {
            count = in_.small_number("a number of registers");
            in_.expect('>', "after a number of registers");
        }
        const int first = static_cast<int>(function_.registers.size());
        if (count > kMostRegisters || first + count > kMostRegisters) in_.fail("too many registers");
        check_fresh(name, is_range ? static_cast<int>(count) : -1);
        if (is_range) {
            scopes_.back().ranges.push_back({name, first, static_cast<int>(count)});
            for (std::int64_t i = 0; i < count; ++i)
                function_.registers.push_back({std::string(name) + std::to_string(i), type});
        } else {
            declare(name, {Name::Kind::reg, first, {}});
            function_.registers.push_back({std::string(name), type});
        }
    } while (in_.accept(','));
    in_.expect(';', "after registers");
}

// The register of this name in one scope's ranges; -1: none.
int BodyParser::find_in(const Scope& scope, std::string_view name) {
    if (scope.ranges.empty()) return -1;
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    int number = 0;
    // The prefix may end in digits itself: %r1<3> has %r10.
    for (std::size_t from = digits; from < name.size(); ++from) {
        if (!is_number(name.substr(from), number)) continue;
        for (const RegisterRange& range : scope.ranges)
            if (number < range.count && range.prefix == name.substr(0, from)) return range.first + number;
    }
    return -1;
}

int BodyParser::find_register(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        if (const int found = find_in(*scope, name); found >= 0) return found;
        if (const auto found = scope->names.find(name); found != scope->names.end())
            return found->second.kind == Name::Kind::reg ? found->second.index : -1;
    }
    return -1;
}

const std::string* BodyParser::find_variable(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
        if (const auto found = scope->names.find(name); found != scope->names.end())
            return found->second.kind == Name::Kind::variable ? &found->second.name : nullptr;
    return nullptr;
}

int BodyParser::predicate(std::string_view name) const {
    const int index = find_register(name);
    if (index < 0 || function_.registers[static_cast<std::size_t>(index)].type != Type::pred)
        in_.fail("'" + std::string(name) + "' is not a predicate register");
    return index;
}

// (results) _ (parameters) and attributes
void BodyParser::parse_prototype(std::string_view name) {
    std::vector<Variable> returns, params;
    if (in_.accept('(')) returns = parse_params(in_);
    in_.name("the _ of .callprototype");
    if (in_.accept('(')) params = parse_params(in_);
    while (!in_.accept(';')) {
        if (in_.directive().empty()) in_.fail("unexpected " + in_.here() + " in .callprototype");
        while (in_.at_number() || in_.accept(',')) in_.integer("a number");
    }
    if (!scopes_.back().prototypes.try_emplace(name, prototype_of(returns, params)).second)
        in_.fail("label '" + std::string(name) + "' is defined twice");
}

void BodyParser::find_prototype(std::string_view name, Instruction::Call& call) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        if (const auto found = scope->prototypes.find(name); found != scope->prototypes.end()) {
            call.prototype = found->second;
            return;
        }
        if (const auto found = scope->target_lists.find(name); found != scope->target_lists.end()) {
            call.targets.assign(found->second.begin(), found->second.end());
            return;
        }
    }
    in_.fail("no .callprototype or .calltargets '" + std::string(name) + "'");
}

bool BodyParser::parse_label(std::string_view name) {
    if (!in_.accept_label_colon()) return false;
    Scope& scope = scopes_.back();
    if (in_.accept_directive(".callprototype")) {
        parse_prototype(name);
    } else if (in_.accept_directive(".branchtargets") || in_.accept_directive(".calltargets")) {
        auto& list = scope.target_lists[name];
        do list.push_back(in_.name("a label"));
        while (in_.accept(','));
        in_.expect(';', "after .branchtargets");
    } else if (!scope.labels.try_emplace(name, static_cast<int>(function_.body.size())).second) {
        in_.fail("label '" + std::string(name) + "' is defined twice");
    }
    return true;
}

void BodyParser::parse_block_end() {
    Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    resolve(scope, scopes_.empty() ? nullptr : &scopes_.back());
}

// A label may be used before it is defined. One that a block does not define belongs to an outer block.
void BodyParser::resolve(Scope& scope, Scope* outer) {
    for (const LabelUse& use : scope.list_uses) {
        const auto list = scope.target_lists.find(use.label);
        if (list == scope.target_lists.end()) {
            if (!outer) throw ScanError("no .branchtargets '" + std::string(use.label) + "'", use.line);
            outer->list_uses.push_back(use);
            continue;
        }
        auto& operand =
            function_.body[static_cast<std::size_t>(use.instruction)].operands[static_cast<std::size_t>(use.operand)];
        operand.targets.assign(list->second.size(), -1);
        for (std::size_t i = 0; i < list->second.size(); ++i)
            scope.uses.push_back({list->second[i], use.instruction, use.operand, static_cast<int>(i), use.line});
    }
    for (const LabelUse& use : scope.uses) {
        const auto label = scope.labels.find(use.label);
        if (label == scope.labels.end()) {
            if (!outer) throw ScanError("no label '" + std::string(use.label) + "'", use.line);
            outer->uses.push_back(use);
            continue;
        }
        auto& operand =
            function_.body[static_cast<std::size_t>(use.instruction)].operands[static_cast<std::size_t>(use.operand)];
        (use.target < 0 ? operand.index : operand.targets[static_cast<std::size_t>(use.target)]) = label->second;
    }
}

}  // namespace vgpu::ptx
