#include "virtual_gpu/exec/decode/decoder.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "virtual_gpu/exec/decode/clock_reads.h"
#include "virtual_gpu/exec/decode/missing.h"
#include "virtual_gpu/ptx/block_order.h"
#include "virtual_gpu/ptx/blocks.h"
#include "virtual_gpu/undefined/unwritten.h"
#include "virtual_gpu/what_if/hooks.h"

namespace vgpu {
namespace {

using ptx::Operand;
using ptx::Type;

DecodeTable make_table() {
    DecodeTable t;
    add_integer(t);
    add_bits(t);
    add_float(t);
    add_float_approximate(t);
    add_compare(t);
    add_convert(t);
    add_move(t);
    add_matrix(t);
    add_memory(t);
    add_copies(t);
    add_mbarrier(t);
    add_atomic(t);
    add_control(t);
    add_tensor(t);
    add_texture(t);
    add_warp(t);
    return t;
}

const DecodeTable& table() {
    static const DecodeTable t = make_table();
    return t;
}

constexpr int kWidest = 8;  // bytes of a column: a register of 16 has two, for its halves

int value_bytes(Type t) {
    const int n = size_of(t);
    if (n > kWidest) throw Unsupported{};
    return n < 2 ? 2 : n;
}

// The assembler moves loads and arithmetic towards the beginning of their basic block, but not across these.
bool stays(const ptx::Instruction& i) { return i.opcode == Opcode::ld ? is_strong(i) : i.is(ptx::kStays); }

}  // namespace

bool has_decoder(Opcode opcode) { return table()[opcode] != nullptr; }

Decoder::Decoder(Module& m, Function& f) : module(m), function(f), source(*f.source) {}
Decoder::~Decoder() = default;

bool Decoder::has(std::string_view modifier) const {
    return std::find(in->modifiers.begin(), in->modifiers.end(), modifier) != in->modifiers.end();
}

int Decoder::types() const {
    int n = 0;
    for (const auto& m : in->modifiers) n += ptx::type_named(m) != Type::none;
    return n;
}

Type Decoder::type(int n) const {
    for (const auto& m : in->modifiers)
        if (const Type t = ptx::type_named(m); t != Type::none && n-- == 0) return t;
    throw Unsupported{};
}

const Operand& Decoder::operand(std::size_t n) const {
    if (n >= in->operands.size()) throw Unsupported{};
    return in->operands[n];
}

const Operand& Decoder::part(const Operand& whole, std::size_t n) {
    if (n >= whole.elements.size()) throw Unsupported{};
    return whole.elements[n];
}

int Decoder::register_bytes(int index) const {
    if (index < 0) throw Unsupported{};  // no register
    if (static_cast<std::size_t>(index) >= source.registers.size()) return bytes_of(register_column(index));
    const Type t = source.registers.at(static_cast<std::size_t>(index)).type;
    return t == Type::pred ? 0 : std::max(2, size_of(t));
}

Column Decoder::half_column(int index, int half) const {
    if (register_bytes(index) != 2 * kWidest) throw Unsupported{};
    return register_column(index) + static_cast<Column>(half) * column_bytes(kWidest);
}

Column Decoder::temporary(int bytes) {
    const Column c = function.register_bytes;
    function.register_bytes += bytes == 0 ? 64 : column_bytes(bytes);
    widths_.resize(function.register_bytes / 64, static_cast<std::uint8_t>(bytes));
    return c;
}

Column Decoder::carry() {
    if (carry_ == kNone) carry_ = temporary(0);
    return carry_;
}

Column Decoder::constant(std::uint64_t bits, int bytes) {
    if (bytes < 8) bits &= (std::uint64_t{1} << (8 * bytes)) - 1;
    const std::string key = std::to_string(bytes) + ":" + std::to_string(bits);
    if (const auto found = module.constant_columns.find(key); found != module.constant_columns.end())
        return found->second;
    const std::size_t at = module.constants.size();
    module.constants.resize(at + column_bytes(bytes));
    for (int lane = 0; lane < 32; ++lane)
        std::memcpy(&module.constants[at + static_cast<std::size_t>(lane * bytes)], &bits,
                    static_cast<std::size_t>(bytes));
    const Column c = kConstantBit | static_cast<Column>(at);
    module.constant_bytes.resize(module.constants.size() / 64, static_cast<std::uint8_t>(bytes));
    module.constant_columns.emplace(key, c);
    return c;
}

std::uint64_t Decoder::immediate_bits(const Operand& op, Type t) const {
    if (!op.is_float) {
        if (t == Type::f32 || t == Type::f64) {
            // An integer literal where a float is meant is its value.
            const auto integer = static_cast<double>(static_cast<std::int64_t>(op.bits));
            const auto single = static_cast<float>(integer);
            std::uint64_t bits = 0;
            if (t == Type::f32)
                std::memcpy(&bits, &single, 4);
            else
                std::memcpy(&bits, &integer, 8);
            return bits;
        }
        return op.bits;
    }
    const int want = size_of(t);
    if (op.float_width == 32 && want == 8) {
        float f;
        std::memcpy(&f, &op.bits, 4);
        const double d = f;
        std::uint64_t bits;
        std::memcpy(&bits, &d, 8);
        return bits;
    }
    if (op.float_width == 64 && want == 4) {
        double d;
        std::memcpy(&d, &op.bits, 8);
        const auto f = static_cast<float>(d);
        std::uint64_t bits = 0;
        std::memcpy(&bits, &f, 4);
        return bits;
    }
    return op.bits;
}

bool Decoder::symbol_address(const std::string& name, bool generic, std::uint64_t& out) {
    if (const auto v = module.symbols.find(name); v != module.symbols.end()) {
        out = v->second.address;
        return true;
    }
    auto s = module.shared_numbers.find(function.name + "::" + name);
    if (s == module.shared_numbers.end()) s = module.shared_numbers.find(name);
    if (s != module.shared_numbers.end()) {
        if (std::find(function.shared_used.begin(), function.shared_used.end(), s->second) ==
            function.shared_used.end())
            function.shared_used.push_back(s->second);
        out = shared_address(s->second) + (generic ? kSharedWindow : 0);
        return true;
    }
    if (const auto f = module.function_numbers.find(name); f != module.function_numbers.end()) {
        function.callees.push_back(f->second);
        module.functions.at(static_cast<std::size_t>(f->second))->has_address = true;
        out = kFunctionWindow + static_cast<std::uint64_t>(f->second) * 16;
        return true;
    }
    return false;
}

bool Decoder::local_offset(const std::string& name, std::uint64_t& out) const {
    const auto found = local_offsets_.find(name);
    if (found == local_offsets_.end()) return false;
    out = found->second;
    return true;
}

bool Decoder::param_place(const std::string& name, ParamPlace& out) const {
    const auto found = params_.find(name);
    if (found == params_.end()) return false;
    out = found->second;
    return true;
}

bool Decoder::kernel_param(const std::string& name, ParamPlace& out) const {
    if (!source.is_entry) return false;
    for (const ParamPlace& p : function.params)
        if (p.name == name) {
            out = p;
            return true;
        }
    return false;
}

bool Decoder::counts_as_atomic() const { return hooks_ && hooks_->is_atomic(number); }

void Decoder::resize(Column to, int to_bytes, Column from, int from_bytes, bool is_signed) {
    emit_hidden(resize_handler(to_bytes, from_bytes, is_signed), to, from);
    passes(Rule::moves);
}

Column Decoder::value(const Operand& op, Type t) {
    const int bytes = value_bytes(t);
    switch (op.kind) {
        case Operand::Kind::reg: {
            const int have = register_bytes(op.index);
            if (have == 0 || have > kWidest) throw Unsupported{};
            if (have == bytes) return register_column(op.index);
            const Column temp = temporary(bytes);
            resize(temp, bytes, register_column(op.index), have, is_signed_type(t));
            return temp;
        }
        case Operand::Kind::imm:
            return constant(immediate_bits(op, t), bytes);
        case Operand::Kind::special: {
            Type own{};
            const Handler h = special_handler(op.name, own);
            if (!h) throw Unsupported{};
            const Column temp = temporary(size_of(own));
            emit_hidden(h, temp);
            if (size_of(own) == bytes) return temp;
            const Column other = temporary(bytes);
            resize(other, bytes, temp, size_of(own), false);
            return other;
        }
        case Operand::Kind::symbol: {
            std::uint64_t address = 0;
            if (!symbol_address(op.name, op.generic, address)) throw Unsupported{};
            return constant(address + static_cast<std::uint64_t>(op.offset), bytes);
        }
        default:
            throw Unsupported{};
    }
}

Column Decoder::predicate(const Operand& op) {
    if (op.kind == Operand::Kind::imm) {
        const bool value = (op.bits != 0) != op.negated;
        return constant(value ? ~std::uint64_t{0} : 0, 4);
    }
    if (op.kind != Operand::Kind::reg || register_bytes(op.index) != 0) throw Unsupported{};
    if (!op.negated) return register_column(op.index);
    const Column temp = temporary(0);
    emit_hidden(not_predicate_handler(), temp, register_column(op.index));
    passes(Rule::bit_xor);
    return temp;
}

Column Decoder::result(const Operand& op, Type t) {
    const int bytes = value_bytes(t);
    if (op.kind == Operand::Kind::sink) return temporary(bytes);
    if (op.kind != Operand::Kind::reg) throw Unsupported{};
    const int have = register_bytes(op.index);
    if (have == bytes) return register_column(op.index);
    if (have == 0 || have > kWidest) throw Unsupported{};
    const Column temp = temporary(bytes);
    after_.push_back({register_column(op.index), have, temp, bytes, is_signed_type(t)});
    return temp;
}

Column Decoder::result_predicate(const Operand& op) {
    if (op.kind == Operand::Kind::sink) return temporary(0);
    if (op.kind != Operand::Kind::reg || register_bytes(op.index) != 0) throw Unsupported{};
    return register_column(op.index);
}

Instr& Decoder::emit(Handler h, Column d, Column a, Column b, Column c, LatencyClass latency) {
    Instr i;
    i.run = h;
    i.d = d;
    i.a = a;
    i.b = b;
    i.c = c;
    i.source = number;
    i.opcode = in ? in->opcode : Opcode::other;
    if (in && in->guard >= 0) {
        i.guard = register_column(in->guard);
        i.guard_negated = in->guard_negated;
    }
    const auto slot = [](Column x) { return (x & kConstantBit) != 0 ? 0 : x >> 6; };
    Timing t;
    t.d = d == kNone ? 1 : slot(d);
    t.a = slot(a);
    t.b = slot(b);
    t.c = slot(c);
    t.guard = i.guard == kNoColumn ? 0 : slot(i.guard);
    t.latency = latency;
    t.stays = in && stays(*in);
    function.code.push_back(i);
    function.timing.push_back(t);
    Passing p;
    p.d = bytes_of(d);
    p.a = bytes_of(a);
    p.b = bytes_of(b);
    p.c = bytes_of(c);
    function.passing.push_back(p);
    return function.code.back();
}

std::uint8_t Decoder::bytes_of(Column c) const {
    return (c & kConstantBit) != 0 ? module.constant_bytes[(c & ~kConstantBit) >> 6] : widths_[c >> 6];
}

Passing& Decoder::passes(Rule rule) {
    function.passing.back().rule = rule;
    return function.passing.back();
}

Instr& Decoder::emit_hidden(Handler h, Column d, Column a, Column b, Column c) {
    Instr& i = emit(h, d, a, b, c, kAlu);
    i.hidden = true;
    return i;
}

void Decoder::layout() {
    for (const ptx::Register& r : source.registers) {
        const int bytes = r.type == Type::pred ? 0 : std::max(2, size_of(r.type));
        columns_.push_back(temporary(std::min(bytes, kWidest)));
        if (bytes > kWidest) temporary(kWidest);  // directly behind
    }
    std::uint32_t at = 0;
    const auto place = [&](const ptx::Variable& v) {
        const auto align = static_cast<std::uint32_t>(std::max({v.align, size_of(v.type), 1}));
        at = (at + align - 1) / align * align;
        ParamPlace p{v.name, at, static_cast<std::uint32_t>(v.bytes())};
        at += p.bytes;
        params_.emplace(v.name, p);
        return p;
    };
    if (!source.is_entry) {
        for (const auto& v : source.params) function.params.push_back(place(v));
        for (const auto& v : source.returns) function.returns.push_back(place(v));
    }
    std::uint64_t local = 0;
    for (const auto& v : source.locals) {
        if (v.space == ptx::Space::param) {
            place(v);
        } else {
            const auto align = static_cast<std::uint64_t>(std::max({v.align, size_of(v.type), 1}));
            local = (local + align - 1) / align * align;
            local_offsets_.emplace(v.name, local);
            local += v.bytes();
        }
    }
    function.local_bytes = static_cast<std::uint32_t>((local + 15) / 16 * 16);
    function.param_bytes = (at + 15) / 16 * 16;
}

void Decoder::instruction(const ptx::Instruction& i) {
    in = &i;
    after_.clear();
    const std::size_t begin = function.code.size();
    try {
        if (!has_decoder(i.opcode)) throw Unsupported{};
        table()[i.opcode](*this);
        const auto after = after_;
        for (const After& a : after) resize(a.to, a.to_bytes, a.from, a.from_bytes, a.is_signed);
    } catch (const Unsupported&) {
        function.code.resize(begin);
        function.timing.resize(begin);
        function.passing.resize(begin);
        emit(unsupported_handler(), kNone).aux = static_cast<std::uint32_t>(function.texts.size());
        function.texts.push_back(missing_instruction(i));
    }
    // The PTX instruction counts once.
    bool counted = false;
    for (std::size_t n = begin; n < function.code.size(); ++n) {
        if (!function.code[n].hidden && counted) function.code[n].hidden = true;
        counted |= !function.code[n].hidden;
    }
}

void Decoder::extra(const ptx::Instruction& i) {
    const ptx::Instruction* at_hand = in;
    const std::size_t begin = function.code.size();
    instruction(i);
    for (std::size_t n = begin; n < function.code.size(); ++n) function.code[n].hidden = true;
    in = at_hand;
}

int Decoder::add_register(int bytes) {
    columns_.push_back(temporary(bytes));
    return static_cast<int>(columns_.size()) - 1;
}

void Decoder::run() {
    layout();
    if (module.rules.change_code()) hooks_ = what_if::Hooks::make(*this);
    late_ = late_checks(source);
    for (const LateCheck& check : late_) late_loads_.try_emplace(check.load);
    function.bypasses = ptx::bypasses(source, [&](const ptx::Instruction& i) { return waits(module, i); });
    std::sort(function.bypasses.begin(), function.bypasses.end(), [](const ptx::Bypass& a, const ptx::Bypass& b) {
        return std::pair(a.branch, !a.taken) < std::pair(b.branch, !b.taken);  // the branch itself is marked first
    });
    const auto count = static_cast<std::uint32_t>(source.body.size());
    const std::vector<ptx::Span> spans = ptx::block_order(source);
    function.start.resize(count + 1);
    for (std::size_t n = 0; n < spans.size(); ++n) {
        for (number = spans[n].begin; number < spans[n].end; ++number) {
            function.start[number] = static_cast<std::uint32_t>(function.code.size());
            in = &source.body[number];
            if (hooks_) hooks_->before(*this);
            check_loads(false);
            in = &source.body[number];
            if (!hooks_ || !hooks_->instead(*this)) instruction(source.body[number]);
            check_loads(true);
            mark_bypasses();
            in = &source.body[number];
            if (hooks_) hooks_->after(*this);
        }
        const std::uint32_t behind = n + 1 < spans.size() ? spans[n + 1].begin : count;
        if (number != behind && ptx::goes_on(source.body[number - 1])) go_to(number);
    }
    number = count;
    function.start[count] = static_cast<std::uint32_t>(function.code.size());
    in = nullptr;
    // Two, so that a look at the instruction behind the last is harmless.
    for (int n = 0; n < 2; ++n) {
        emit_hidden(return_handler(), kNone);
        passes(Rule::effect);
    }
    for (const int r : ptx::unwritten_registers(source)) {
        const int bytes = std::min(register_bytes(r), kWidest);
        function.unwritten.emplace_back(register_column(r), static_cast<std::uint8_t>(bytes));
        if (register_bytes(r) > kWidest) function.unwritten.emplace_back(half_column(r, 1), kWidest);
    }
    // Branch targets are PTX instruction numbers so far.
    for (Instr& i : function.code)
        if (i.small == kIsBranch) i.imm = function.start[static_cast<std::size_t>(i.imm)];
    Work before;
    for (std::size_t n = 0; n < function.code.size(); ++n) {
        function.work.push_back(before);
        if (function.code[n].hidden) continue;
        ++before.instructions;
        before.f64 += function.timing[n].latency == kF64;
        before.sfu += function.timing[n].latency == kSfu;
    }
    function.work.push_back(before);
    function.columns.assign(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(source.registers.size()));
    function.carry = carry_;
    function.waits_for_clock = waits_for_clock(source);
    function.counts_to_a_limit = counts_to_a_limit(source);
    // About the registers that are live at once: half of the names, within what hardware has.
    int words = 0;
    for (const ptx::Register& r : source.registers)
        if (r.type != Type::pred) words += size_of(r.type) == 8 ? 2 : 1;
    // At most 64: a mere estimate must not refuse a block of 1024 threads, which then needs exactly 65536 registers.
    function.live_registers = std::clamp(12 + words / 4, 16, 64);
}

}  // namespace vgpu
