// Instructions and their operands.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "virtual_gpu/ptx/parse_state.h"

namespace vgpu::ptx {
namespace {

constexpr std::array<std::string_view, 46> kSpecial = {"%tid",
                                                       "%ntid",
                                                       "%ctaid",
                                                       "%nctaid",
                                                       "%laneid",
                                                       "%warpid",
                                                       "%nwarpid",
                                                       "%smid",
                                                       "%nsmid",
                                                       "%gridid",
                                                       "%lanemask_eq",
                                                       "%lanemask_le",
                                                       "%lanemask_lt",
                                                       "%lanemask_ge",
                                                       "%lanemask_gt",
                                                       "%clock",
                                                       "%clock_hi",
                                                       "%clock64",
                                                       "%globaltimer",
                                                       "%globaltimer_lo",
                                                       "%globaltimer_hi",
                                                       "%dynamic_smem_size",
                                                       "%total_smem_size",
                                                       "%aggr_smem_size",
                                                       "%is_explicit_cluster",
                                                       "%clusterid",
                                                       "%nclusterid",
                                                       "%cluster_ctaid",
                                                       "%cluster_nctaid",
                                                       "%cluster_ctarank",
                                                       "%cluster_nctarank",
                                                       "%current_graph_exec",
                                                       "%reserved_smem_offset_begin",
                                                       "%reserved_smem_offset_end",
                                                       "%reserved_smem_offset_cap",
                                                       "%pm0",
                                                       "%pm1",
                                                       "%pm2",
                                                       "%pm3",
                                                       "%pm4",
                                                       "%pm5",
                                                       "%pm6",
                                                       "%pm7",
                                                       "WARP_SZ",
                                                       "%reserved_smem_offset_0",
                                                       "%reserved_smem_offset_1"};

bool is_special(std::string_view name) {
    return std::ranges::find(kSpecial, name) != kSpecial.end() || name.starts_with("%envreg");
}

// 90 for "sm_90a".
int compute_capability(std::string_view target) {
    int number = 0;
    if (target.starts_with("sm_")) std::from_chars(target.data() + 3, target.data() + target.size(), number);
    return number;
}

}  // namespace

void BodyParser::parse_instruction(std::string_view name) {
    const Opcode opcode = opcode_named(name);
    if (opcode == Opcode::griddepcontrol && compute_capability(program_.target) < 90)
        in_.fail(
            "cudaGridDependencySynchronize() and cudaTriggerProgrammaticLaunchCompletion() (griddepcontrol) need " +
            std::string("compute capability 9.0, and this is compiled for ") + program_.target +
            ": compile with -arch=compute_90");
    Instruction instruction;
    instruction.opcode = opcode;
    if (opcode == Opcode::other) instruction.other = name;
    instruction.where = where_;
    instruction.unused_bytes = std::exchange(unused_bytes_, 0);
    for (std::string_view word = in_.modifier(); !word.empty(); word = in_.modifier())
        instruction.modifiers.emplace_back(word);
    const int number = static_cast<int>(function_.body.size());
    const int line = in_.line();
    instruction.ptx_line = line;
    if (opcode == Opcode::call) {
        parse_call(instruction);
    } else if (opcode == Opcode::bra) {
        Operand target;
        target.kind = Operand::Kind::label;
        target.name = in_.name("a label");
        scopes_.back().uses.push_back({*names_.insert(target.name).first, number, 0, -1, line});
        instruction.operands.push_back(std::move(target));
    } else if (opcode == Opcode::brx) {
        instruction.operands.push_back(parse_operand());
        in_.expect(',', "in brx.idx");
        Operand list;
        list.kind = Operand::Kind::label_list;
        list.name = in_.name("the name of .branchtargets");
        if (std::none_of(scopes_.begin(), scopes_.end(),
                         [&](const Scope& scope) { return scope.target_lists.contains(list.name); }))
            in_.fail("no .branchtargets '" + list.name + "' before it is used");
        scopes_.back().list_uses.push_back({*names_.insert(list.name).first, number, 1, -1, line});
        instruction.operands.push_back(std::move(list));
    } else if (in_.peek() != ';') {
        do instruction.operands.push_back(parse_operand());
        while (in_.accept(','));
    }
    in_.expect(';', "after an instruction");
    function_.body.push_back(std::move(instruction));
}

// call (returns), callee, (arguments), prototype; all but the callee may be absent
void BodyParser::parse_call(Instruction& instruction) {
    Instruction::Call call;
    if (in_.accept('(')) {
        call.returns = parse_call_list();
        in_.expect(',', "after a call's results");
    }
    const std::string_view callee = in_.name("the function to call");
    call.callee_register = find_register(callee);
    if (call.callee_register < 0) {
        if (callee.starts_with('%')) in_.fail("unknown register '" + std::string(callee) + "'");
        call.callee = callee;
    }
    bool has_prototype = false;
    if (in_.accept(',')) {
        if (in_.accept('(')) {
            call.arguments = parse_call_list();
            has_prototype = in_.accept(',');
        } else {
            has_prototype = true;
        }
        if (has_prototype) find_prototype(in_.name("a prototype"), call);
    }
    if (has_prototype != (call.callee_register >= 0))
        in_.fail(has_prototype ? "a direct call has no prototype" : "an indirect call needs a prototype");
    instruction.call = std::move(call);
}

std::vector<std::string> BodyParser::parse_call_list() {
    std::vector<std::string> names;
    if (in_.accept(')')) return names;
    do {
        if (!in_.at_name()) in_.fail("a call's argument has to be a .param variable, found " + in_.here());
        const std::string_view name = in_.name("a .param variable");
        const std::string* variable = find_variable(name);
        if (!variable) in_.fail("a call's argument has to be a .param variable, found '" + std::string(name) + "'");
        names.push_back(*variable);
    } while (in_.accept(','));
    in_.expect(')', "after a call's arguments");
    return names;
}

Operand BodyParser::parse_operand() {
    Operand first = parse_simple_operand();
    if (in_.peek() != '|') return first;
    in_.expect('|', "");
    Operand both;
    both.kind = Operand::Kind::vector;
    both.elements.push_back(std::move(first));
    both.elements.push_back(parse_simple_operand());
    return both;
}

Operand BodyParser::parse_simple_operand() {
    switch (in_.peek()) {
        case '[':
            return parse_address();
        case '{':
            return parse_vector();
        case '!':
            in_.expect('!', "");
            if (in_.at_name()) {
                Operand operand;
                operand.kind = Operand::Kind::reg;
                operand.index = predicate(in_.name("a predicate register"));
                operand.negated = true;
                return operand;
            }
            return parse_immediate(true);
        default:
            break;
    }
    if (in_.at_name()) return parse_named(in_.name("an operand"));
    return parse_immediate(false);
}

Operand BodyParser::parse_immediate(bool negated) {
    if (!in_.at_number()) in_.fail("expected an operand, found " + in_.here());
    const Constant value = in_.constant();
    Operand operand;
    operand.bits = negated ? value.bits == 0 : value.bits;
    operand.is_float = value.is_float;
    operand.float_width = value.float_width;
    return operand;
}

Operand BodyParser::parse_named(std::string_view name) {
    Operand operand;
    if (name == "_") {
        operand.kind = Operand::Kind::sink;
        return operand;
    }
    if (const int index = find_register(name); index >= 0) {
        if (in_.next_char() == '.') in_.fail("a part of the register '" + std::string(name) + "' is not supported");
        operand.kind = Operand::Kind::reg;
        operand.index = index;
        return operand;
    }
    if (name.starts_with('%') || name == "WARP_SZ") {
        if (!is_special(name)) in_.fail("unknown register '" + std::string(name) + "'");
        operand.kind = Operand::Kind::special;
        operand.name = name;
        if (const std::string_view part = in_.modifier(); !part.empty()) operand.name += "." + std::string(part);
        return operand;
    }
    operand.kind = Operand::Kind::symbol;
    const bool is_generic = name == "generic" && in_.accept('(');
    if (is_generic) name = in_.name("a symbol");
    const std::string* variable = find_variable(name);
    operand.name = variable ? *variable : std::string(name);
    if (is_generic) {
        operand.generic = true;
        in_.expect(')', "after generic(");
    }
    if (const char c = in_.peek(); c == '+' || c == '-') operand.offset = in_.integer("an offset");
    return operand;
}

Operand BodyParser::parse_address() {
    in_.expect('[', "");
    Operand operand;
    if (in_.at_name()) {
        operand = parse_named(in_.name("an address"));
        if (operand.kind == Operand::Kind::symbol)
            operand.index = -1;
        else if (operand.kind != Operand::Kind::reg)
            in_.fail("an address has to be a register or a symbol");
        if (const char c = in_.peek(); c == '+' || c == '-') operand.offset += in_.integer("an offset");
    } else {
        operand.offset = in_.integer("an address");
    }
    operand.kind = Operand::Kind::address;
    if (in_.accept(',')) {  // a texture's or tensor's coordinates
        do {
            if (in_.peek() == '[') in_.fail("an address inside an address");
            operand.elements.push_back(parse_simple_operand());
        } while (in_.accept(','));
    }
    in_.expect(']', "after an address");
    return operand;
}

Operand BodyParser::parse_vector() {
    in_.expect('{', "");
    Operand operand;
    operand.kind = Operand::Kind::vector;
    do {
        if (in_.peek() == '{' || in_.peek() == '[') in_.fail("expected a part of a vector, found " + in_.here());
        operand.elements.push_back(parse_simple_operand());
    } while (in_.accept(','));
    in_.expect('}', "after a vector");
    return operand;
}

}  // namespace vgpu::ptx
