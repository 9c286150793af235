#include "virtual_gpu/what_if/wide.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "virtual_gpu/exec/handlers/ops.h"
#include "virtual_gpu/undefined/unwritten.h"
#include "virtual_gpu/what_if/experiment.h"

namespace vgpu::what_if {
namespace {

using ptx::Instruction;
using ptx::Operand;
using Kind = ptx::Operand::Kind;

bool is_unsigned(const Instruction& i) { return i.has("u32"); }
bool is_32(const Instruction& i) { return i.has("s32") || i.has("u32") || i.has("b32"); }

bool shifts_by(const Instruction& i, const char* type, std::uint64_t bits) {
    return i.opcode == Opcode::shr && i.has(type) && i.operands.size() == 3 && i.operands[2].kind == Kind::imm &&
           (bits == 0 || i.operands[2].bits == bits);
}

// An address or a comparison: how many sources are 32-bit numbers.
int reads(const Instruction& i) {
    if (i.operands.empty() || i.operands[0].kind != Kind::reg) return 0;
    const auto has_numbers = [&](std::size_t count) {
        for (std::size_t n = 1; n <= count; ++n)
            if (n >= i.operands.size() || (i.operands[n].kind != Kind::reg && i.operands[n].kind != Kind::imm))
                return false;
        return true;
    };
    if (i.opcode == Opcode::cvt) {
        const auto is_one_of = [](const std::string& type, const char* a, const char* b) {
            return type == a || type == b;
        };
        const bool widens = i.modifiers.size() == 2 && is_one_of(i.modifiers[0], "s64", "u64") &&
                            is_one_of(i.modifiers[1], "s32", "u32");
        return widens && has_numbers(1) ? 1 : 0;
    }
    if ((i.opcode == Opcode::mul || i.opcode == Opcode::mad) && i.has("wide") && (i.has("s32") || i.has("u32")) &&
        has_numbers(2))
        return 2;
    if (i.opcode != Opcode::setp || (!i.has("s32") && !i.has("u32")) || i.operands.size() != 3 || !has_numbers(2))
        return 0;
    for (const char* bound : {"lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"})
        if (i.has(bound)) return 2;
    return 0;
}

Instruction like(const Instruction& i, Opcode opcode, std::vector<std::string> modifiers) {
    Instruction out;
    out.opcode = opcode;
    out.modifiers = std::move(modifiers);
    out.guard = i.guard;
    out.guard_negated = i.guard_negated;
    out.where = i.where;
    out.ptx_line = i.ptx_line;
    return out;
}

Operand reg(int index) {
    Operand op;
    op.kind = Kind::reg;
    op.index = index;
    return op;
}

constexpr s64 kLowest = std::numeric_limits<s32>::min(), kHighest = std::numeric_limits<s32>::max();
constexpr s64 kHighestUnsigned = std::numeric_limits<u32>::max();

// An index below 0 of an unsigned type is a large number: so range checks of one comparison work.
const Instr* wrap_negative(const Instr* i, Warp& w, Mask m) {
    const s64* a = w.col<const s64>(i->a);
    s64* d = w.col<s64>(i->d);
    for (int l : lanes(m)) d[l] = a[l] < 0 ? s64(u32(a[l])) : a[l];
    return i + 1;
}

// As nvcc divides by a constant. Signed 32-bit numbers have a product of 64 bits, these have one of 96.
const Instr* multiply_high(const Instr* i, Warp& w, Mask m) {
    const s64 *a = w.col<const s64>(i->a), *b = w.col<const s64>(i->b);
    s64* d = w.col<s64>(i->d);
    for (int l : lanes(m)) d[l] = s64(static_cast<__int128>(a[l]) * b[l] >> 32);
    return i + 1;
}

// Where a result is computed. Of an instruction without a line, which nvcc has moved, its result's first use has it.
Place place_of_result(const Place& at) {
    const auto& body = at.function->source->body;
    std::size_t number = at.source;
    for (int depth = 0; depth < 8 && body[number].where.line <= 0; ++depth) {
        const Operand* const result = has_result(body[number]) ? body[number].operands.data() : nullptr;
        if (result == nullptr || result->kind != Kind::reg) return at;
        const auto uses = [&](const Instruction& i) {
            bool found = false;
            ptx::each_source(i, [&](int r) { found |= r == result->index; });
            return found;
        };
        const auto use = std::ranges::find_if(body, uses);
        if (use == body.end()) return at;
        number = static_cast<std::size_t>(use - body.begin());
    }
    return body[number].where.line > 0 ? Place{at.function, static_cast<std::uint32_t>(number)} : at;
}

// a: the exact result; b, c: the exact sources, of which none has overflowed yet. aux: kOfSigned, kMayNotBeNegative.
enum : std::uint32_t { kOfSigned = 1, kMayNotBeNegative = 2 };
const Instr* watch_result(const Instr* i, Warp& w, Mask m) {
    const s64 *a = w.col<const s64>(i->a), *b = w.col<const s64>(i->b), *c = w.col<const s64>(i->c);
    const s64 highest = (i->aux & kOfSigned) != 0 ? kHighest : kHighestUnsigned;
    const s64 lowest = (i->aux & kMayNotBeNegative) != 0 ? 0
                       : (i->aux & kOfSigned) != 0       ? kLowest
                                                         : std::numeric_limits<s64>::min();
    for (int l : lanes(m)) {
        if (a[l] >= lowest && a[l] <= highest) continue;
        if (b[l] < kLowest || b[l] > kHighestUnsigned || c[l] < kLowest || c[l] > kHighestUnsigned) continue;
        if (!w.run->watch.what_if->is_first_overflow()) break;
        const bool is_signed = (i->aux & kOfSigned) != 0;
        // nvcc also compares numbers without a sign that it knows to be at least 0: so what is too large may be an int.
        const std::string limit = a[l] < 0
                                      ? (is_signed ? ", less than an int holds" : ", less than an unsigned int holds")
                                  : is_signed ? ", more than an int holds"
                                              : ", more than 32 bits hold";
        Reporter& reporter = w.run->reporter;
        const Place here = place_of_result(reporter.place(w, i));
        Finding* f = nullptr;
        if (!reporter.add(vgpu::Kind::overflow, here, {}, f)) break;
        f->is_note = true;
        f->thread = w.run->thread_index(static_cast<std::uint32_t>(w.number * kLanes + l));
        f->block = w.block->index;
        f->what = "a result at " + reporter.at(here) + " is " + signed_with_commas(a[l]) + limit;
        f->help = is_signed || a[l] >= 0 ? "compute it in long long: make one of the operands a long long"
                                         : "compute it in long long, or compare before you subtract";
        break;
    }
    return i + 1;
}

}  // namespace

// How many sources are numbers of the same kind.
int Wide::followed(const Instruction& i) const {
    if (!is_32(i) || i.operands.empty() || i.operands[0].kind != Kind::reg) return 0;
    for (const char* other : {"cc", "sat", "wide"})
        if (i.has(other)) return 0;
    static const std::map<Opcode, std::pair<int, std::size_t>> kSources = {
        // numbers, operands
        {Opcode::mov, {1, 2}}, {Opcode::neg, {1, 2}}, {Opcode::shl, {1, 3}}, {Opcode::add, {2, 3}},
        {Opcode::sub, {2, 3}}, {Opcode::mul, {2, 3}}, {Opcode::min, {2, 3}}, {Opcode::max, {2, 3}},
        {Opcode::div, {2, 3}}, {Opcode::mad, {3, 4}}, {Opcode::shr, {1, 3}}, {Opcode::selp, {2, 4}}};
    const auto found = kSources.find(i.opcode);
    if (found == kSources.end() || i.operands.size() != found->second.second) return 0;
    for (int n = 1; n <= found->second.first; ++n) {
        const Operand& op = i.operands[static_cast<std::size_t>(n)];
        if (op.kind == Kind::reg ? !is_number(op) : op.kind != Kind::imm || op.is_float) return 0;
    }
    // By such a product nvcc divides by a constant.
    if (i.has("hi") && (i.opcode != Opcode::mul || !i.has("s32") || i.operands[1].kind != Kind::reg ||
                        i.operands[2].kind != Kind::imm))
        return 0;
    // The sign of a number, from which nvcc makes what it adds before it divides by a power of two. Any other logical
    // shift takes bits apart.
    if (i.opcode == Opcode::shr && !i.has("s32") && !shifts_by(i, "u32", 31) && !is_of_sign(i)) return 0;
    return found->second.first;
}

bool Wide::is_number(const Operand& op) const {
    const Value& value = values_[static_cast<std::size_t>(op.index)];
    return value.bytes == 4 && !value.is_float;
}

bool Wide::is_of_sign(const Instruction& i) const {
    return shifts_by(i, "u32", 0) && i.operands[1].kind == Kind::reg &&
           signs_[static_cast<std::size_t>(i.operands[1].index)] == 1;
}

Wide::Wide(Decoder& d)
    : values_(d.source.registers.size()), replaces_(d.module.rules.wide), watches_(d.module.rules.watch_overflow) {
    signs_.resize(values_.size());
    for (const Instruction& i : d.source.body)
        if (has_result(i) && i.operands[0].kind == Kind::reg) {
            std::uint8_t& sign = signs_[static_cast<std::size_t>(i.operands[0].index)];
            sign = sign == 0 && shifts_by(i, "s32", 31) ? 1 : 2;
        }
    find_bits_of_floats(d.source);
    find_needs(d.source);
    find_uniform(d.source);
    for (Value& value : values_)
        if (value.needs != 0) value.wide = d.add_register(8);
    for (const int r : ptx::unwritten_registers(d.source))
        if (const Value& value = values_[static_cast<std::size_t>(r)]; value.needs != 0)
            d.function.unwritten.emplace_back(d.register_column(value.wide), std::uint8_t{8});
}

bool Wide::has(const Operand& op) const {
    return op.kind == Kind::reg && static_cast<std::size_t>(op.index) < values_.size() &&
           values_[static_cast<std::size_t>(op.index)].needs != 0;
}

// Floats, and what their bits are made into: no numbers.
void Wide::find_bits_of_floats(const ptx::Function& f) {
    for (std::size_t r = 0; r < values_.size(); ++r) {
        if (f.registers[r].type != ptx::Type::pred) values_[r].bytes = ptx::size_of(f.registers[r].type);
        values_[r].is_float = f.registers[r].type == ptx::Type::f32 || f.registers[r].type == ptx::Type::f16x2;
    }
    const auto moves = [](Opcode opcode) {
        return is_one_of(
            opcode, {Opcode::mov, Opcode::add, Opcode::sub, Opcode::shl, Opcode::shr, Opcode::and_, Opcode::or_,
                     Opcode::xor_, Opcode::lop3, Opcode::selp, Opcode::prmt, Opcode::shf, Opcode::min, Opcode::max});
    };
    for (bool grows = true; grows;) {
        grows = false;
        for (const Instruction& i : f.body) {
            if (!moves(i.opcode) || i.operands.empty() || i.operands[0].kind != Kind::reg) continue;
            bool& is_float = values_[static_cast<std::size_t>(i.operands[0].index)].is_float;
            for (std::size_t n = 1; n < i.operands.size() && !is_float; ++n) {
                const Operand& op = i.operands[n];
                const bool has_parts = op.kind == Kind::vector;  // of 16 bits
                const bool is_one = op.kind == Kind::reg && values_[static_cast<std::size_t>(op.index)].is_float;
                if (has_parts || is_one) is_float = grows = true;
            }
        }
    }
}

// From addresses and comparisons back through arithmetic.
void Wide::find_needs(const ptx::Function& f) {
    const auto needs = [&](const Operand& op, std::uint8_t what) {
        if (op.kind != Kind::reg || !is_number(op)) return false;
        Value& value = values_[static_cast<std::size_t>(op.index)];
        std::uint8_t& now = value.needs;
        return std::exchange(now, static_cast<std::uint8_t>(now | what)) != now;
    };
    for (const Instruction& i : f.body)
        for (int n = 1; n <= reads(i); ++n) {
            const Operand& op = i.operands[static_cast<std::size_t>(n)];
            needs(op, is_unsigned(i) ? kUnsigned : kSigned);
            if (i.opcode == Opcode::setp && has(op)) values_[static_cast<std::size_t>(op.index)].is_compared = true;
        }
    for (bool grows = true; grows;) {
        grows = false;
        for (const Instruction& i : f.body) {
            const int sources = followed(i);
            if (sources == 0 || !has(i.operands[0])) continue;
            const std::uint8_t what = values_[static_cast<std::size_t>(i.operands[0].index)].needs;
            for (int n = 1; n <= sources; ++n) grows |= needs(i.operands[static_cast<std::size_t>(n)], what);
        }
    }
}

// A value is the same for all threads if it comes from parameters and constants alone.
void Wide::find_uniform(const ptx::Function& f) {
    for (bool shrinks = true; shrinks;) {
        shrinks = false;
        for (const Instruction& i : f.body) {
            if (i.operands.empty() || !has(i.operands[0])) continue;
            Value& value = values_[static_cast<std::size_t>(i.operands[0].index)];
            bool is_uniform = i.opcode == Opcode::ld && i.has("param");
            if (const int sources = followed(i); sources != 0 && i.opcode != Opcode::selp) {
                is_uniform = true;
                for (int n = 1; n <= sources; ++n) {
                    const Operand& op = i.operands[static_cast<std::size_t>(n)];
                    is_uniform &= op.kind == Kind::imm || values_[static_cast<std::size_t>(op.index)].is_uniform;
                }
            }
            value.is_computed |= (i.opcode == Opcode::add || i.opcode == Opcode::sub) && followed(i) != 0;
            if (value.is_uniform && !is_uniform) shrinks = true;
            value.is_uniform &= is_uniform;
        }
    }
}

Operand Wide::wide(const Operand& op, bool of_unsigned) const {
    if (op.kind == Kind::reg) return reg(values_[static_cast<std::size_t>(op.index)].wide);
    Operand out = op;
    out.bits = of_unsigned ? static_cast<u32>(op.bits)
                           : static_cast<std::uint64_t>(static_cast<s64>(static_cast<s32>(op.bits)));
    return out;
}

Operand Wide::as_read(Decoder& d, const Operand& op, bool may_be_negative) const {
    const Operand whole = wide(op, is_unsigned(*d.in));
    if (op.kind != Kind::reg || may_be_negative) return whole;
    const Operand wrapped = reg(d.add_register(8));
    const Instruction* in = d.in;
    d.in = nullptr;
    d.emit_hidden(wrap_negative, d.register_column(wrapped.index), d.register_column(whole.index));
    d.passes(Rule::moves);
    d.in = in;
    return wrapped;
}

bool Wide::instead(Decoder& d) {
    const Instruction& i = *d.in;
    const int count = replaces_ ? reads(i) : 0;
    bool any = false;
    for (int n = 1; n <= count; ++n) {
        const Operand& op = i.operands[static_cast<std::size_t>(n)];
        if (op.kind == Kind::reg && !has(op)) return false;
        any |= op.kind == Kind::reg;
    }
    if (!any) return false;
    std::vector<Operand> from;
    for (int n = 1; n <= count; ++n) {
        const Operand& op = i.operands[static_cast<std::size_t>(n)];
        const bool is_bound =
            i.opcode == Opcode::setp && op.kind == Kind::reg && values_[static_cast<std::size_t>(op.index)].is_bound();
        from.push_back(as_read(d, op, !is_unsigned(i) || is_bound));
    }
    Instruction out;
    if (i.opcode == Opcode::cvt) {
        out = like(i, Opcode::mov, {"b64"});
    } else if (i.opcode == Opcode::setp) {
        static const std::map<std::string, std::string, std::less<>> kSigned = {
            {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
        out = like(i, Opcode::setp, {});
        for (const std::string& modifier : i.modifiers) {
            const auto found = kSigned.find(modifier);
            out.modifiers.push_back(modifier == "s32" || modifier == "u32" ? "s64"
                                    : found != kSigned.end()               ? found->second
                                                                           : modifier);
        }
    } else {
        out = like(i, i.opcode, {"lo", "s64"});
        if (i.opcode == Opcode::mad) from.push_back(i.operands[3]);
    }
    out.operands = {i.operands[0]};
    out.operands.insert(out.operands.end(), from.begin(), from.end());
    d.instruction(out);
    return true;
}

void Wide::after(Decoder& d) {
    const Instruction& i = *d.in;
    if (!has_result(i) || i.opcode == Opcode::setp) return;
    std::vector<Operand> written = {i.operands[0]};
    if (written[0].kind == Kind::vector) written = i.operands[0].elements;
    for (const Operand& to : written) {
        if (!has(to)) continue;
        const Value& value = values_[static_cast<std::size_t>(to.index)];
        const int sources = followed(i);
        // From elsewhere: as a signed number. What is unsigned and as large is so again where it is read.
        Instruction out = like(i, Opcode::cvt, {"s64", "s32"});
        out.operands = {reg(value.wide), to};
        if (sources != 0) {
            const bool has_bits = i.opcode == Opcode::mov || i.opcode == Opcode::shl || i.opcode == Opcode::selp;
            const bool takes_sign = i.opcode == Opcode::shr && !i.has("s32");
            const bool is_all_sign = shifts_by(i, "s32", 31);
            // What is added may be below 0, whatever the type; what is compared or divided by is of the type.
            const bool of_unsigned =
                is_unsigned(i) && (i.opcode == Opcode::min || i.opcode == Opcode::max || i.opcode == Opcode::div);
            out = like(i, i.opcode, {has_bits ? "b64" : takes_sign ? "u64" : "s64"});
            if (i.opcode == Opcode::mul || i.opcode == Opcode::mad) out.modifiers.insert(out.modifiers.begin(), "lo");
            out.operands = i.operands;
            out.operands[0] = reg(value.wide);
            for (int n = 1; n <= sources; ++n)
                out.operands[static_cast<std::size_t>(n)] = wide(i.operands[static_cast<std::size_t>(n)], of_unsigned);
            if (takes_sign || is_all_sign) out.operands[2].bits += 32;
        }
        if (sources != 0 && i.has("hi")) {
            const Operand &a = out.operands[1], &b = out.operands[2];
            d.emit_hidden(multiply_high, d.register_column(value.wide), d.register_column(a.index),
                          d.constant(b.bits, 8));
        } else {
            d.extra(out);
        }
        if (sources != 0 && watches_) watch(d);
    }
}

void Wide::watch(Decoder& d) const {
    const Instruction& i = *d.in;
    const bool may_overflow =
        is_one_of(i.opcode, {Opcode::add, Opcode::sub, Opcode::mul, Opcode::mad, Opcode::shl, Opcode::neg});
    if (!may_overflow || i.has("hi")) return;
    const Value& value = values_[static_cast<std::size_t>(i.operands[0].index)];
    // A source that is the result, too, has its new value by now.
    const auto is_known = [&](std::size_t n) {
        if (n >= i.operands.size() || (i.opcode == Opcode::shl && n > 1)) return false;
        return i.operands[n].kind != Kind::reg || i.operands[n].index != i.operands[0].index;
    };
    const auto column = [&](std::size_t n) {
        const Operand op = is_known(n) ? wide(i.operands[n], false) : Operand{};
        return op.kind == Kind::reg ? d.register_column(op.index) : d.constant(op.bits, 8);
    };
    const Column b = column(1), c = column(2);
    Instr& watch = d.emit_hidden(watch_result, kNone, d.register_column(value.wide), b, c);
    d.passes(Rule::late_check);
    // Only a bound such as n - 1: what nvcc computes to count rounds may be below 0 and wrong nowhere.
    const bool is_bound = value.is_bound() && value.is_compared && (i.opcode == Opcode::add || i.opcode == Opcode::sub);
    if (value.is_signed()) {
        watch.aux = kOfSigned;
    } else if (is_bound) {
        watch.aux = kMayNotBeNegative;
    }
}

}  // namespace vgpu::what_if
