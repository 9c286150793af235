// The operands of most instructions as patterns, and which registers can hold values of which type.
#pragma once

#include <string_view>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

// OpcodeRow::operands has a letter for each operand, in order; '?' after it: it may be absent.
// D result of the instruction's type   T source of that type      W, X the same, twice as wide with .wide
// S source of its second type          V result of 32 bits        U source of 32 bits, an integer
// P result, a predicate                O one or two of them, a|b  N source, a predicate
// I an integer that is no register    Y source of 64 bits
// E result of the first, source of the second type, which may be narrower than their registers
// A an address                         . anything                0 there are no operands
// OpcodeRow::kinds has a letter for each kind of type that the first one may be; none: any.
// i integers   I of 32 and 64 bits   w of 32 bits   b bits from 16 on   B from 32 on   x b32   p pred
// h f16, bf16 and pairs of them      f f32          d f64

bool has_other_type(const Instruction&);  // one that no register has, such as u16x2
// How many types the instruction names; `any` where that differs.
std::size_t types_wanted(const Instruction&, std::size_t any);
// What neither pattern nor number says of the types and spaces: the rule that is broken, or "".
std::string_view broken_rule(const Instruction&, const std::vector<Type>& types);
bool is_one_of(Type, std::string_view kinds);  // letters of OpcodeRow::kinds
bool is_bits(Type);
bool is_float(Type);
bool agree(Type reg, Type type);  // whether a register can be an operand of this type
// Whether a register can hold a value of this type in memory, or be converted from or to it: it may be wider.
bool holds(Type reg, Type type);

}  // namespace vgpu::ptx
