// What an instruction is, by its opcode: the table of opcodes.inc.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace vgpu {

// How long a result takes (Latencies in timing/profile.h); memory instructions set the time themselves.
enum LatencyClass : std::uint8_t {
    kAlu,
    kIntegerMultiply,
    kSfu,
    kF64,
    kDivide,
    kShuffle,
    kConstantLoad,
    kLatencyClasses
};

namespace ptx {

enum class Opcode : std::uint8_t {
    other,  // the table does not have it
#define OPCODE(name, ...) name,
#include "virtual_gpu/ptx/opcodes.inc"
#undef OPCODE
    count
};

enum Fact : std::uint16_t {
    kNoResult = 1 << 0,   // its first operand is no result; nor is an address one: see has_result()
    kPure = 1 << 1,       // its result depends on its operands alone, and it does nothing else
    kTest = 1 << 2,       // tests of a flag, a ticket or a packed word are made of it
    kDecides = 1 << 3,    // its operands decide what else happens
    kStays = 1 << 4,      // the assembler moves no load and no arithmetic across it
    kLoads = 1 << 5,      // its result comes from memory
    kAccess = 1 << 6,     // accesses what its address names, in the space that it names
    kSpace = 1 << 7,      // may name a space
    kMayDrop = 1 << 8,    // its result may be _
    kJumps = 1 << 9,      // to a label
    kEnds = 1 << 10,      // a thread does not come to the instruction behind it
    kLeaves = 1 << 11,    // the function or the kernel, by ret or exit: not by a trap
    kOrderFree = 1 << 12  // no other thread's order matters to it, unless a modifier makes it strong or asynchronous
};

constexpr int kSome = -1;

struct OpcodeRow {
    std::string_view name;
    unsigned facts = 0;
    LatencyClass latency = kAlu;
    int types = kSome;
    std::string_view operands, kinds;
};

constexpr std::array kOpcodes = [] {
    std::array<OpcodeRow, static_cast<std::size_t>(Opcode::count)> rows{{
        {},
#define OPCODE(name, ...) {#name, __VA_ARGS__},
#include "virtual_gpu/ptx/opcodes.inc"
#undef OPCODE
    }};
    for (OpcodeRow& row : rows)
        if (row.name.ends_with('_')) row.name.remove_suffix(1);
    return rows;
}();

constexpr const OpcodeRow& row_of(Opcode opcode) { return kOpcodes[static_cast<std::size_t>(opcode)]; }
// Whether one of these facts is true of it.
constexpr bool is(Opcode opcode, unsigned facts) { return (row_of(opcode).facts & facts) != 0; }

constexpr bool is_one_of(Opcode opcode, std::initializer_list<Opcode> opcodes) {
    for (const Opcode one : opcodes)
        if (one == opcode) return true;
    return false;
}

Opcode opcode_named(std::string_view);  // other: there is none

}  // namespace ptx
}  // namespace vgpu
