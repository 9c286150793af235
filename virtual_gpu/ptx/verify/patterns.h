// The operands of most instructions as patterns, and which registers can hold values of which type.
#pragma once

#include <string_view>

#include "virtual_gpu/ptx/module.h"

namespace vgpu::ptx {

// opcodes.inc explains the letters of OpcodeRow::operands and kinds.

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
